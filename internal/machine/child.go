package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/value"
)

// maxChildren is how many actors a machine may have.
const maxChildren = 10_000

// startInvoke creates an actor that a state invokes. Its number was set aside on entry.
func (m *macrostep) startInvoke(v *invoke, no int64) *Failure {
	input, f := m.eval(v.input)
	if f != nil {
		return f
	}
	return m.startChild(v.at, Child{ID: v.id, No: no, Src: v.actor.src, Task: v.actor.task}, v.actor, input)
}

// startChild puts an actor among the children at once, and starts it when the macrostep is over.
//
// An actor whose id is taken replaces the one that has it. XState leaves that one running, where
// nothing can reach or stop it any more; here it is stopped.
func (m *macrostep) startChild(at string, c Child, a *actor, input value.Value) *Failure {
	m.stopChild(c.ID)
	if len(m.children) >= maxChildren {
		return m.engineFailure(at, "the machine has %d actors, and may not have more", maxChildren)
	}
	m.ownChildren()
	m.children = append(m.children, c)
	if !a.task {
		m.later(StartChild{ID: c.ID, No: c.No, Src: c.Src, Input: input})
		return nil
	}
	outer := m.scope.Input
	m.scope.Input = input
	fields, f := m.eval(a.fields)
	m.scope.Input = outer
	m.later(StartTask{ID: c.ID, No: c.No, Src: c.Src, Input: input, Task: fields})
	return f
}

// stopChild takes an actor from among the children at once, and stops it when the macrostep is over,
// after the messages that were sent to it. One that has not started yet never does, and what was
// sent to it is lost.
func (m *macrostep) stopChild(id string) {
	m.changed = true
	i := m.findChild(id)
	if i < 0 {
		return
	}
	c := m.children[i]
	m.ownChildren()
	m.children = slices.Delete(m.children, i, i+1)
	m.stop(c)
}

// stopChildren stops all actors: the machine has ended.
func (m *macrostep) stopChildren() {
	if len(m.children) == 0 {
		return
	}
	for _, c := range m.children {
		m.stop(c)
	}
	m.children, m.childrenMade = nil, true
}

// stop notes the effect of stopping an actor, or takes its start out again when it was created by
// this very macrostep.
func (m *macrostep) stop(c Child) {
	switch {
	case c.No >= m.before.nextChild:
		m.deferred = slices.DeleteFunc(m.deferred, func(e Effect) bool { return concerns(e, c.No) })
	case c.Task:
		m.later(CancelTask{ID: c.ID, No: c.No})
	default:
		m.later(StopChild{ID: c.ID, No: c.No})
	}
}

// concerns reports whether an effect is the start of an actor, or a message to it.
func concerns(e Effect, no int64) bool {
	switch e := e.(type) {
	case StartTask:
		return e.No == no
	case StartChild:
		return e.No == no
	case Send:
		return e.To.Kind == ToChild && e.To.No == no
	default:
		return false
	}
}

// findChild returns the place of the actor of an id, -1 when there is none.
func (m *macrostep) findChild(id string) int {
	return slices.IndexFunc(m.children, func(c Child) bool { return c.ID == id })
}

// ownChildren makes the list one that may be changed.
func (m *macrostep) ownChildren() {
	if !m.childrenMade {
		m.children = append(make([]Child, 0, len(m.children)+1), m.children...)
		m.childrenMade = true
	}
}
