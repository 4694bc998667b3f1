package machine

import (
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// parentAddress is how sendTo names the machine's parent.
const parentAddress = "#_parent"

// raiseAction puts an event on the internal queue, or starts a timer that brings it.
type raiseAction struct {
	event *expression
	delay *delay
	id    *expression
}

func (*raiseAction) name() string { return "raise" }

func (a *raiseAction) perform(m *macrostep) *Failure {
	event, f := m.evalEvent(a.event)
	if f != nil {
		return f
	}
	if a.delay == nil {
		m.raise(event.Get("type").Text(), event)
		return nil
	}
	return m.startSend(a.delay, a.id, event, Address{})
}

// sendAction sends a message: sendTo, sendParent and forwardTo.
type sendAction struct {
	is      string
	at      string
	to      *expression // the id of a child, or #_parent
	machine *expression // instead of to: the id of any machine
	event   *expression // nil: the event under way
	delay   *delay
	id      *expression
}

func (a *sendAction) name() string { return a.is }

func (a *sendAction) perform(m *macrostep) *Failure {
	to, f := a.address(m)
	if f != nil {
		return f
	}
	event := m.scope.Event
	if a.event != nil {
		if event, f = m.evalEvent(a.event); f != nil {
			return f
		}
	}
	if a.delay != nil {
		return m.startSend(a.delay, a.id, event, to)
	}
	m.later(Send{To: to, Event: event})
	return nil
}

// address finds out whom the message is for. An actor is bound now: one that gets the same id later
// does not get the message.
func (a *sendAction) address(m *macrostep) (Address, *Failure) {
	if a.machine != nil {
		id, f := m.evalText(a.machine)
		return Address{Kind: ToMachine, ID: id}, f
	}
	id, f := m.evalText(a.to)
	if f != nil {
		return Address{}, f
	}
	if id == parentAddress {
		if m.before.Self == nil || m.before.Self.Parent == "" {
			return Address{}, m.engineFailure(a.at, "the machine has no parent to send to")
		}
		return Address{Kind: ToParent}, nil
	}
	no, ok := m.actorNo(id)
	if !ok {
		id = strings.TrimPrefix(id, "#_") // SCXML's spelling
		no, ok = m.actorNo(id)
	}
	if !ok {
		return Address{}, m.engineFailure(a.at, "there is no actor %s to send to", value.OfText(id))
	}
	return Address{Kind: ToChild, ID: id, No: no}, nil
}

// actorNo returns the number of the actor that an id names: among those that the state whose entry
// actions run is about to invoke, then among the children.
func (m *macrostep) actorNo(id string) (int64, bool) {
	for i := range m.invoking {
		if m.invoking[i].id == id {
			return m.invokingNo + int64(i), true
		}
	}
	if i := m.findChild(id); i >= 0 {
		return m.children[i].No, true
	}
	return 0, false
}

// startSend starts the timer of a delayed raise or sendTo.
func (m *macrostep) startSend(d *delay, id *expression, event value.Value, to Address) *Failure {
	deadline, f := m.deadline(d)
	if f != nil {
		return f
	}
	sendID, f := m.evalText(id)
	if f != nil {
		return f
	}
	m.startTimer(deadline, sendID, event, to)
	return nil
}

// cancelAction cancels a delayed raise or sendTo.
type cancelAction struct{ id *expression }

func (*cancelAction) name() string { return "cancel" }

func (a *cancelAction) perform(m *macrostep) *Failure {
	id, f := m.evalText(a.id)
	if f == nil {
		m.cancelTimer(id)
	}
	return f
}
