package machine_test

import (
	"fmt"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// A turnstile that unlocks for a coin, and locks again after ten seconds or one visitor.
func Example() {
	doc, err := syntax.DecodeYAML([]byte(`
machine:
  id: turnstile
  initial: locked
  context: {coins: 0}
  states:
    locked:
      on:
        COIN: {target: unlocked, actions: {assign: {coins: context.coins + 1}}}
    unlocked:
      after: {10s: locked}
      on: {PUSH: locked}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := machine.Compile(doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	started, err := d.Start(&machine.Identity{ID: "gate-1"}, value.Value{}, machine.Moment{})
	if err != nil {
		fmt.Println(err)
		return
	}

	coin := machine.NewEvent(value.OfObject(value.Member{Key: "type", Value: value.OfText("COIN")}))
	r, err := d.Step(started.Snapshot, coin, machine.Moment{Event: 5_000_000, Processing: 5_000_200})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.StateValue(r.Snapshot), r.Snapshot.Context)
	for _, e := range r.Effects {
		if timer, ok := e.(machine.StartTimer); ok {
			fmt.Println(timer.Timer.Event, "at", timer.Timer.Deadline)
		}
	}
	// Output:
	// "unlocked" {"coins":1}
	// {"type":"xstate.after.10s.turnstile.unlocked"} at 15000000
}
