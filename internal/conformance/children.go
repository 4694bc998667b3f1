package conformance

import (
	"errors"
	"fmt"

	"github.com/detent-run/detent/internal/machine"
)

// createChildren makes the children that the effects ask for, before the first effect happens: what an
// entry action sends to a child of its own state comes before the effect that starts it, and waits in its
// mailbox. A child that a later effect stops is never made, and what is sent to it is lost.
func (a *actor) createChildren(effects []machine.Effect) error {
	for i, e := range effects {
		var err error
		switch e := e.(type) {
		case machine.StartChild:
			if key := (childKey{e.ID, e.No}); !stopped(effects[i+1:], key) {
				err = a.createMachine(key, e)
			}
		case machine.StartTask:
			if key := (childKey{e.ID, e.No}); !stopped(effects[i+1:], key) {
				err = a.createTask(key, e)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// createMachine makes a child machine's first macrostep. Its effects wait for the start.
func (a *actor) createMachine(key childKey, e machine.StartChild) error {
	program, err := a.run.definitions.child(a.program, e.Src)
	if err != nil {
		return err
	}
	child := &actor{run: a.run, program: program, parent: a, id: e.ID, src: e.Src}
	child.self = &machine.Identity{ID: e.ID, Definition: a.program.machines[e.Src], Version: 1, Parent: a.self.ID}
	a.children[key] = child
	return child.create(e.Input)
}

// createTask makes a task: work that goes on until a step of the case ends it.
func (a *actor) createTask(key childKey, e machine.StartTask) error {
	if e.ID == "" {
		return errors.New("a case cannot observe a task that nobody waits for")
	}
	a.children[key] = &actor{run: a.run, parent: a, id: e.ID, src: e.Src, input: e.Input}
	return nil
}

// startChildren starts the children of a machine that starts itself: they are at work before its first
// effect. One that its own first macrostep has ended already is started in its turn instead.
func (a *actor) startChildren() error {
	for _, c := range a.snapshot.Children {
		child := a.children[childKey{c.ID, c.No}]
		if child == nil {
			return fmt.Errorf("%w: child %q of the snapshot was never started", errIncoherent, c.ID)
		}
		if child.snapshot.Status == machine.Active {
			if err := child.start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// startChild starts a child, unless it is at work already or was never made.
func (a *actor) startChild(key childKey) error {
	child := a.children[key]
	if child == nil || child.started {
		return nil
	}
	return child.start()
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
