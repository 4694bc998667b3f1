package machine_test

import (
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// act works through a list of actions (3.12.1).
func (s *twinStep) act(list []*syntax.Action) {
	for _, a := range list {
		s.noteAction(a)
		s.actOne(a)
	}
}

func (s *twinStep) actOne(a *syntax.Action) {
	switch a.Kind {
	case syntax.ActNamed:
		s.named(a)
	case syntax.ActAssign:
		s.assign(a)
	case syntax.ActChoose:
		s.chooseBranch(a)
	case syntax.ActRaise:
		ev := s.eventOf(a.Event)
		if a.Delay.IsAbsent() {
			s.raise(ev)
		} else {
			s.startTimer(delayKey(a.Delay), s.text(a.ID), ev, machine.Address{})
		}
	case syntax.ActSendTo, syntax.ActSendParent, syntax.ActForwardTo:
		s.send(a)
	case syntax.ActCancel:
		s.deferred = append(s.deferred, twinCancel{id: s.text(a.ID)})
	case syntax.ActEmit:
		s.deferred = append(s.deferred, machine.Emit{Event: s.eventOf(a.Event)})
	case syntax.ActLog:
		s.atOnce(machine.Log{Message: orNull(s.data(a.Message))})
	case syntax.ActSpawnChild:
		s.changed = true
		id, input := s.text(a.ID), s.data(a.Input)
		s.is.nextChild++
		s.startChild(id, s.is.nextChild-1, a.Src, input)
	case syntax.ActStopChild:
		s.changed = true
		s.stopChild(s.text(a.ID))
	case syntax.ActTask:
		s.deferred = append(s.deferred, machine.StartTask{No: s.is.nextChild, Task: s.data(a.Task.Fields)})
		s.is.nextChild++
	}
}

// atOnce is an immediate effect (3.3.2), which the start defers like the others (3.4.5).
func (s *twinStep) atOnce(e machine.Effect) {
	if s.origin == machine.FromStart {
		s.deferred = append(s.deferred, e)
		return
	}
	s.immediate = append(s.immediate, e)
}

// named replaces a name by its actions in place, and traces one that has none.
func (s *twinStep) named(a *syntax.Action) {
	for _, x := range s.doc.Setup.Actions {
		if x.Key == a.Name {
			s.inName++
			s.withParams(a.Params, func() { s.act(x.Actions) })
			s.inName--
			return
		}
	}
	s.atOnce(machine.RunAction{Type: a.Name, Params: s.data(a.Params)})
}

// withParams is 3.12.2.
func (s *twinStep) withParams(params value.Value, do func()) {
	before := s.params
	s.params = s.data(params)
	do()
	s.params = before
}

// assign is 3.12.3.
func (s *twinStep) assign(a *syntax.Action) {
	s.changed = true
	context := s.is.context
	for _, x := range a.Assign {
		context = context.With(x.Key, orNull(s.code(x.Code)))
	}
	s.is.context = context
}

// chooseBranch is 3.12.4.
func (s *twinStep) chooseBranch(a *syntax.Action) {
	for _, b := range a.Choose {
		if s.holds(b.Guard) {
			s.act(b.Actions)
			return
		}
	}
}

// send is 3.14.2 and 3.14.3.
func (s *twinStep) send(a *syntax.Action) {
	to := s.address(a)
	ev := s.event.Data
	if a.Kind != syntax.ActForwardTo {
		ev = s.eventOf(a.Event)
	}
	if a.Delay.IsAbsent() {
		s.deferred = append(s.deferred, machine.Send{To: to, Event: ev})
		return
	}
	s.startTimer(delayKey(a.Delay), s.text(a.ID), ev, to)
}

func (s *twinStep) address(a *syntax.Action) machine.Address {
	if !a.Machine.IsAbsent() {
		return machine.Address{Kind: machine.ToMachine, ID: s.text(a.Machine)}
	}
	id := "#_parent"
	if a.Kind != syntax.ActSendParent {
		id = s.text(a.To)
	}
	if id == "#_parent" {
		if s.self.Parent == "" {
			panic(twinFailure(machine.EngineFailure))
		}
		return machine.Address{Kind: machine.ToParent}
	}
	if no, ok := s.invoking[id]; ok {
		return machine.Address{Kind: machine.ToChild, ID: id, No: no}
	}
	for _, c := range s.is.children {
		if c.ID == id {
			return machine.Address{Kind: machine.ToChild, ID: id, No: c.No}
		}
	}
	panic(twinFailure(machine.EngineFailure))
}

// delayKey is a delay of an action as a key of after would be written.
func delayKey(v value.Value) string {
	if v.Kind() == value.Text {
		return v.Text()
	}
	return v.String()
}

// noteAction adds an action to the trace. What a name stands for is not in it, nor is a choice itself.
func (s *twinStep) noteAction(a *syntax.Action) {
	if s.inName > 0 {
		return
	}
	name := a.Name
	switch a.Kind {
	case syntax.ActNamed:
	case syntax.ActChoose:
		return
	default:
		name = actionWords[a.Kind]
	}
	m := s.traced()
	m.Actions = append(m.Actions, name)
}

// actionWords is what a trace calls the built-in actions.
var actionWords = map[syntax.ActionKind]string{
	syntax.ActAssign: "assign", syntax.ActTask: "task", syntax.ActRaise: "raise", syntax.ActSendTo: "sendTo", syntax.ActSendParent: "sendParent",
	syntax.ActForwardTo: "forwardTo", syntax.ActCancel: "cancel", syntax.ActEmit: "emit", syntax.ActLog: "log",
	syntax.ActSpawnChild: "spawnChild", syntax.ActStopChild: "stopChild",
}

// isError reports whether an event tells of an actor's failure.
func isError(eventType string) bool { return strings.HasPrefix(eventType, "xstate.error.actor") }
