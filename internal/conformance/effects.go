package conformance

import (
	"fmt"

	"github.com/detent-run/detent/internal/machine"
)

// carryOut lets one effect happen.
func (a *actor) carryOut(e machine.Effect) error {
	switch e := e.(type) {
	case machine.RunAction:
		a.run.seen.action(a, e)
	case machine.Log:
		a.run.seen.logs = append(a.run.seen.logs, e.Message)
	case machine.Emit:
		if a.parent == nil {
			a.run.seen.emitted = append(a.run.seen.emitted, e.Event)
		}
	case machine.StartTimer:
		a.run.clock.set(a, e.Timer)
	case machine.CancelTimer:
		if !a.run.clock.clear(a, e.Timer.No) {
			return fmt.Errorf("a timer is cancelled that does not run: %s", e.Timer.Event)
		}
	case machine.Send:
		return a.send(e)
	case machine.StartTask:
		return a.startChild(childKey{e.ID, e.No})
	case machine.StartChild:
		return a.startChild(childKey{e.ID, e.No})
	case machine.CancelTask:
		return a.stopChild(childKey{e.ID, e.No})
	case machine.StopChild:
		return a.stopChild(childKey{e.ID, e.No})
	default:
		return fmt.Errorf("unknown effect %T", e)
	}
	return nil
}

// send delivers a message. One to a child that has stopped, or that never started, is lost.
func (a *actor) send(s machine.Send) error {
	var to *actor
	switch s.To.Kind {
	case machine.ToSelf:
		to = a
	case machine.ToParent:
		if to = a.parent; to == nil {
			return fmt.Errorf("a message to the parent of a machine that has none: %s", s.Event)
		}
	case machine.ToChild:
		to = a.children[childKey{s.To.ID, s.To.No}]
	default:
		return fmt.Errorf("a case has one family of machines only, but a message goes to machine %q", s.To.ID)
	}
	if to == nil || to.ended {
		return nil
	}
	if a.parent == nil && to != a {
		a.run.seen.send(to, s.Event)
	}
	event := machine.NewEvent(s.Event)
	event.Origin = machine.FromMessage
	return to.receive(message{event: event})
}
