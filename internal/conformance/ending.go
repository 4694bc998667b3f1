package conformance

import (
	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// finish ends the actor, done, and tells its parent.
func (a *actor) finish(output value.Value) error {
	a.snapshot.Status, a.snapshot.Output = machine.Done, output
	a.end()
	return a.report("xstate.done.actor.", "output", output, "")
}

// fail ends the actor with an error, and tells its parent.
func (a *actor) fail(err value.Value, kind machine.FailureKind) error {
	a.snapshot.Status, a.snapshot.Error, a.failed = machine.Failed, err, kind
	a.end()
	return a.report("xstate.error.actor.", "error", err, kind)
}

// halt stops the actor: no exit actions, no report.
func (a *actor) halt() error {
	a.snapshot.Status = machine.Stopped
	a.end()
	for _, c := range a.snapshot.Children {
		if err := a.stopChild(childKey{c.ID, c.No}); err != nil {
			return err
		}
	}
	a.snapshot.Children = nil
	return nil
}

func (a *actor) end() {
	a.ended, a.mailbox = true, nil
	a.run.clock.clearAll(a)
}

// report tells the parent how the actor ended.
func (a *actor) report(prefix, key string, data value.Value, kind machine.FailureKind) error {
	if a.parent == nil {
		return nil
	}
	members := []value.Member{{Key: "type", Value: value.OfText(prefix + a.id)}}
	if !data.IsAbsent() {
		members = append(members, value.Member{Key: key, Value: data})
	}
	members = append(members, value.Member{Key: "actorId", Value: value.OfText(a.id)})
	event := machine.NewEvent(value.OfObject(members...))
	event.Origin = machine.FromResult
	return a.parent.receive(message{event: event, failed: kind})
}
