package machine

import (
	"github.com/detent-run/detent/internal/machine/value"
)

// action is one compiled action. Its expressions see the context left by the action before it.
type action interface {
	// name is what a trace calls the action, "" for one that is not in it: what it does is.
	name() string
	perform(m *macrostep) *Failure
}

// perform works through a list of actions in order.
func (m *macrostep) perform(list []action) *Failure {
	for _, a := range list {
		m.trace.action(a)
		if f := a.perform(m); f != nil {
			return f
		}
	}
	return nil
}

// namedAction is one of setup.actions with its params. What it stands for runs in its place.
type namedAction struct {
	is     string
	params *expression
	body   *actionBody
}

// actionBody is what a name in setup.actions stands for. It is shared by all who use the name.
type actionBody struct{ actions []action }

func (a *namedAction) name() string { return a.is }

func (a *namedAction) perform(m *macrostep) *Failure {
	params, f := m.eval(a.params)
	if f != nil {
		return f
	}
	outer := m.scope.Params
	m.scope.Params = params
	m.trace.quiet++
	f = m.perform(a.body.actions)
	m.trace.quiet--
	m.scope.Params = outer
	return f
}

// tracedAction is a name that setup.actions lacks: that it ran is all there is to it.
type tracedAction struct {
	is     string
	params *expression
}

func (a *tracedAction) name() string { return a.is }

func (a *tracedAction) perform(m *macrostep) *Failure {
	params, f := m.eval(a.params)
	if f == nil {
		m.tell(RunAction{Type: a.is, Params: params})
	}
	return f
}

// assignAction changes context keys: all values are evaluated against the context before it, then
// all keys change.
type assignAction []assignment

func (assignAction) name() string { return "assign" }

func (a assignAction) perform(m *macrostep) *Failure {
	m.changed, m.assigned = true, true
	m.values = m.values[:0]
	for i := range a {
		v, f := m.eval(a[i].code)
		if f != nil {
			return f
		}
		m.values = append(m.values, value.Member{Key: a[i].key, Value: present(v)})
	}
	m.scope.Context = m.scope.Context.WithAll(m.values)
	return nil
}

// chooseAction runs the first branch whose guard holds. The branch is chosen before any of its
// actions runs.
type chooseAction []branch

type branch struct {
	guard   guard // nil: holds
	actions []action
}

func (chooseAction) name() string { return "" }

func (a chooseAction) perform(m *macrostep) *Failure {
	for i := range a {
		if a[i].guard != nil {
			ok, f := a[i].guard.holds(m)
			if f != nil {
				return f
			}
			if !ok {
				continue
			}
		}
		return m.perform(a[i].actions)
	}
	return nil
}

// emitAction tells the listeners of the machine's stream.
type emitAction struct{ event *expression }

func (*emitAction) name() string { return "emit" }

func (a *emitAction) perform(m *macrostep) *Failure {
	event, f := m.evalEvent(a.event)
	if f == nil {
		m.later(Emit{Event: event})
	}
	return f
}

// logAction writes into history.
type logAction struct{ message *expression }

func (*logAction) name() string { return "log" }

func (a *logAction) perform(m *macrostep) *Failure {
	message, f := m.eval(a.message)
	if f == nil {
		m.tell(Log{Message: present(message)})
	}
	return f
}

// spawnAction starts an actor that belongs to no state.
type spawnAction struct {
	at    string
	id    *expression
	actor *actor
	input *expression
}

func (*spawnAction) name() string { return "spawnChild" }

func (a *spawnAction) perform(m *macrostep) *Failure {
	m.changed = true
	id, f := m.evalText(a.id)
	if f != nil {
		return f
	}
	var input value.Value
	if input, f = m.eval(a.input); f != nil {
		return f
	}
	no := m.nextChild
	m.nextChild++
	return m.startChild(a.at, Child{ID: id, No: no, Src: a.actor.src, Task: a.actor.task}, a.actor, input)
}

// stopAction stops an actor. Stopping what is not there does nothing.
type stopAction struct{ id *expression }

func (*stopAction) name() string { return "stopChild" }

func (a *stopAction) perform(m *macrostep) *Failure {
	id, f := m.evalText(a.id)
	if f == nil {
		m.stopChild(id)
	}
	return f
}

// taskAction asks for work outside, and for no answer.
type taskAction struct{ fields *expression }

func (*taskAction) name() string { return "task" }

func (a *taskAction) perform(m *macrostep) *Failure {
	fields, f := m.eval(a.fields)
	if f != nil {
		return f
	}
	m.later(StartTask{No: m.nextChild, Task: fields})
	m.nextChild++
	return nil
}
