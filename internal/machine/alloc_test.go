package machine_test

import (
	"fmt"
	"testing"

	"github.com/detent-run/detent/internal/machine"
)

// TestStepsWithoutGarbage holds usual steps to allocate nothing at all: to select transitions, to evaluate
// guards, to leave and enter states whose trace is known ahead. It does not run in parallel: it counts
// what the whole program allocates.
func TestStepsWithoutGarbage(t *testing.T) {
	const refused = `{machine: {id: m, context: {n: 3, t: x}, initial: a, states: {a: {tags: [red], on: {E: {target: b, guard: %s}}}, b: {}}},
		setup: {guards: {few: context.n < 3, above: context.n > params.limit}}}`
	guard := func(g string) string { return fmt.Sprintf(refused, g) }
	for _, x := range []struct{ name, definition string }{
		{"an event that nothing takes", `{machine: {id: m, initial: a, states: {a: {on: {F: a}}}}}`},
		{"an expression", guard(`{expr: "context.n + 1 > 5 && context.t == 'x'"}`)},
		{"the event's data", guard(`{expr: "event.amount * 2 > 100 || event.type != 'E'"}`)},
		{"a named guard", guard(`few`)},
		{"a guard with params", guard(`{type: above, params: {limit: 5}}`)},
		{"and, or, not", guard(`{and: [{not: few}, {or: [few, {expr: "context.n > 9"}]}]}`)},
		{"stateIn", guard(`{stateIn: "#m.b"}`)},
		{"inState and hasTag", guard(`{expr: "inState('#m.b') || hasTag('blue')"}`)},
		{"a transition", toggle},
		{"a transition out of nested states", nested},
		{"one of 10,000 states", wide(10_000)},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := compile(t, x.definition)
			s := start(t, d)
			ev := machine.NewEvent(parse(t, `{"type": "E", "amount": 7}`))
			var w machine.Workspace
			allocs := testing.AllocsPerRun(100, func() {
				r, err := w.Step(d, s, ev, machine.Moment{})
				if err != nil {
					t.Fatal(err)
				}
				s = r.Snapshot
			})
			if allocs > 0 {
				t.Errorf("a step allocates %v times", allocs)
			}
		})
	}
}
