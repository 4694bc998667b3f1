package machine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// TestPendingLimit fills a machine with timers or actors, and asks for one too many.
func TestPendingLimit(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	for name, action := range map[string]string{
		"timers": `{raise: {event: {type: X}, delay: 1h}}`,
		"actors": `{spawnChild: {src: job, id: "{{ string(context.n) }}"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := compile(t, fmt.Sprintf(`
machine:
  id: m
  context: {n: 0}
  on: {E: {actions: [%s, {assign: {n: context.n + 1}}]}}
  always: {guard: {expr: "context.n %% %d != 0"}, actions: [%s, {assign: {n: context.n + 1}}]}
setup: {actors: {job: {machine: job}}}
options: {maxMicrosteps: 20000, onError: fail}
`, action, limit, action))
			ev := machine.NewEvent(parse(t, `{"type": "E"}`))
			full, err := d.Step(start(t, d), ev, machine.Moment{})
			if err != nil {
				t.Fatal(err)
			}
			if n := max(len(full.Snapshot.Timers), len(full.Snapshot.Children)); n != limit {
				t.Fatalf("%d pending, not %d", n, limit)
			}
			text := d.AppendSnapshot(nil, full.Snapshot)
			if _, err := d.DecodeSnapshot(nil, text); err != nil {
				t.Error(err)
			}
			_, err = d.Step(full.Snapshot, ev, machine.Moment{})
			if f := (*machine.Failure)(nil); !errors.As(err, &f) || f.Kind != machine.EngineFailure {
				t.Errorf("one more: %v", err)
			}
		})
	}
}

// TestManyFaults holds a document that is wrong everywhere to an answer of bounded size.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("{machine: {id: m, initial: s0, states: {s0: {}")
	for i := 1; i < 5000; i++ {
		fmt.Fprintf(&b, ", s%d: {on: {E: t%d}}", i, i)
	}
	b.WriteString("}}}")
	doc, err := syntax.DecodeYAML([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = machine.Compile(doc)
	if f := syntax.Faults(nil); !errors.As(err, &f) || len(f) != 500 {
		t.Errorf("%d faults", len(f))
	}
}

// TestPlansAreBounded takes a step in a machine whose plans would be too large to keep: they are worked
// out when they are needed, with the same result.
func TestPlansAreBounded(t *testing.T) {
	t.Parallel()
	const regions = 1500
	var b strings.Builder
	b.WriteString(`{machine: {id: m, initial: p, states: {q: {on: {BACK: p}}, p: {type: parallel, on: {OUT: q`)
	for i := range regions {
		fmt.Fprintf(&b, `, E%d: {target: "#m.p", reenter: true}`, i)
	}
	b.WriteString(`}, states: {`)
	for i := range regions {
		fmt.Fprintf(&b, "r%d: {}, ", i)
	}
	b.WriteString(`}}}}}`)
	d := compile(t, b.String())
	s := start(t, d)
	want := d.StateValue(s)
	for _, e := range []string{"E0", fmt.Sprintf("E%d", regions-1), "OUT", "BACK"} {
		r, err := d.Step(s, machine.NewEvent(value.OfObject(value.Member{Key: "type", Value: value.OfText(e)})), machine.Moment{})
		if err != nil {
			t.Fatal(err)
		}
		if e[0] == 'E' && len(r.Trace.Microsteps[0].Entered) != regions+1 {
			t.Errorf("%s enters %d states", e, len(r.Trace.Microsteps[0].Entered))
		}
		s = r.Snapshot
	}
	if got := d.StateValue(s); !value.Equal(got, want) {
		t.Errorf("the machine is in %s", got)
	}
}

// TestPolicies holds the defaults to the definition format.
func TestPolicies(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		options   string
		onError   map[machine.Origin]syntax.Policy
		unhandled syntax.Policy
	}{
		{`{}`, map[machine.Origin]syntax.Policy{
			machine.External: syntax.Rollback, machine.FromTimer: syntax.Suspend, machine.FromResult: syntax.Suspend,
			machine.FromMessage: syntax.Suspend, machine.FromStart: syntax.Suspend,
		}, syntax.Ignore},
		{`{onError: fail, unhandledEvents: defer}`, map[machine.Origin]syntax.Policy{
			machine.External: syntax.Fail, machine.FromTimer: syntax.Fail, machine.FromStart: syntax.Fail,
		}, syntax.Defer},
	} {
		d := compile(t, `{machine: {id: m}, options: `+x.options+`}`)
		for origin, want := range x.onError {
			if got := d.OnError(origin); got != want {
				t.Errorf("%s: a failure of origin %d is answered by %v, not %v", x.options, origin, got, want)
			}
		}
		if got := d.Unhandled(); got != x.unhandled {
			t.Errorf("%s: an unhandled event is answered by %v", x.options, got)
		}
	}
}

// TestManyWarnings holds a document that is odd everywhere to an answer of bounded size.
func TestManyWarnings(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("{machine: {id: m, initial: s0, states: {s0: {}")
	for i := 1; i < 5000; i++ {
		fmt.Fprintf(&b, ", s%d: {}", i)
	}
	b.WriteString("}}}")
	if n := len(compile(t, b.String()).Warnings()); n != 500 {
		t.Errorf("%d warnings", n)
	}
}

// TestManyTargets refuses a transition whose targets would take too long to be compared with each other.
func TestManyTargets(t *testing.T) {
	t.Parallel()
	var regions, targets strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&regions, "r%d: {initial: a, states: {a: {}}},", i)
		fmt.Fprintf(&targets, ".r%d.a,", i)
	}
	doc, err := syntax.DecodeYAML([]byte(`{machine: {id: m, type: parallel, states: {` + regions.String() + `}, on: {E: {target: [` + targets.String() + `]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = machine.Compile(doc)
	if f := syntax.Faults(nil); !errors.As(err, &f) || f[0].Code != machine.CodeTooManyTargets || f[0].Pointer != "/machine/on/E" {
		t.Errorf("%v", err)
	}
}

// TestNestedPredicatesEnd asks for 10,000 to the third runs of a predicate, at every place that an
// expression can stand in: the budget of the macrostep ends it.
func TestNestedPredicatesEnd(t *testing.T) {
	t.Parallel()
	const endless = `all(context.xs, all(context.xs, all(context.xs, true)))`
	d := compile(t, fmt.Sprintf(`
machine:
  id: m
  on:
    GUARD: {guard: {expr: "%[1]s"}}
    ASSIGN: {actions: {assign: {x: "%[1]s"}}}
    TEMPLATE: {actions: {log: "{{ %[1]s }}"}}
setup: {context: {xs: "map(1..10000, #)"}}
`, endless))
	s := start(t, d)
	if n := s.Context.Get("xs").Len(); n != 10_000 {
		t.Fatalf("%d elements", n)
	}
	for event, pointer := range map[string]string{
		"GUARD": "/machine/on/GUARD/guard", "ASSIGN": "/machine/on/ASSIGN/actions/assign/x", "TEMPLATE": "/machine/on/TEMPLATE/actions/log",
	} {
		began := time.Now()
		_, err := d.Step(s, machine.NewEvent(typed(event)), machine.Moment{})
		f := (*machine.Failure)(nil)
		if !errors.As(err, &f) || f.Kind != machine.ExpressionFailure || f.Pointer != pointer || !strings.Contains(f.Message, endless) {
			t.Errorf("%s: %v", event, err)
		}
		t.Logf("%s: %v after %v", event, err, time.Since(began))
	}
}
