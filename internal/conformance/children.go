package conformance

import (
	"errors"

	"github.com/detent-run/detent/internal/machine"
)

// startChildren starts the children that the effects of a first macrostep create: at the start of a
// machine they run before its first effect. One that has come to its end in its own first macrostep
// already is started in its turn instead.
func (a *actor) startChildren(effects []machine.Effect) error {
	if a.snapshot.Status != machine.Active {
		return nil
	}
	for i, e := range effects {
		start, ok := e.(machine.StartChild)
		if !ok || stopped(effects[i+1:], childKey{start.ID, start.No}) {
			continue
		}
		child, err := a.newChild(start)
		if err != nil {
			return err
		}
		if child.snapshot.Status == machine.Active {
			if err := child.start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// createChild makes a child machine and starts it. later are the effects that follow: a child that is
// stopped by one of them never starts, and what is sent to it is lost.
func (a *actor) createChild(e machine.StartChild, later []machine.Effect) error {
	key := childKey{e.ID, e.No}
	if stopped(later, key) {
		return nil
	}
	child := a.children[key]
	if child == nil {
		var err error
		if child, err = a.newChild(e); err != nil {
			return err
		}
	}
	if child.started {
		return nil
	}
	return child.start()
}

// newChild makes a child machine's first macrostep, without letting its effects happen.
func (a *actor) newChild(e machine.StartChild) (*actor, error) {
	program, err := a.run.definitions.child(a.program, e.Src)
	if err != nil {
		return nil, err
	}
	child := &actor{run: a.run, program: program, parent: a, id: e.ID, no: e.No, src: e.Src}
	child.self = &machine.Identity{ID: e.ID, Definition: a.program.machines[e.Src], Version: 1, Parent: a.self.ID}
	a.children[childKey{e.ID, e.No}] = child
	return child, child.create(e.Input)
}

// createTask makes a task: work that goes on until a step of the case ends it.
func (a *actor) createTask(e machine.StartTask, later []machine.Effect) error {
	if e.ID == "" {
		return errors.New("a case cannot observe a task that nobody waits for")
	}
	key := childKey{e.ID, e.No}
	if stopped(later, key) {
		return nil
	}
	task := &actor{run: a.run, parent: a, id: e.ID, no: e.No, src: e.Src, input: e.Input}
	a.children[key] = task
	return task.start()
}

// stopped reports whether one of the effects stops that child.
func stopped(effects []machine.Effect, key childKey) bool {
	for _, e := range effects {
		switch e := e.(type) {
		case machine.StopChild:
			if key == (childKey{e.ID, e.No}) {
				return true
			}
		case machine.CancelTask:
			if key == (childKey{e.ID, e.No}) {
				return true
			}
		}
	}
	return false
}

// stopChild stops a child: what it was sent before is forgotten unless it has been handled, except
// for the message that it is at work on. A child that never started is not there.
func (a *actor) stopChild(key childKey) error {
	child := a.children[key]
	if child == nil {
		return nil
	}
	delete(a.children, key)
	if child.ended {
		return nil
	}
	child.mailbox = nil
	return child.receive(message{stop: true})
}
