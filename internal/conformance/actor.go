package conformance

import (
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// actor is a machine or a task while a case runs.
//
// Its life: created (its first macrostep is made, but none of its effects), started (they run),
// ended (done, failed or stopped). What it is sent before it has started waits for that; what it is
// sent after its end is lost.
type actor struct {
	run     *run
	program *program // nil for a task
	self    *machine.Identity
	parent  *actor // nil for the root
	id      string
	src     string
	input   value.Value // of a task

	snapshot machine.Snapshot // a task uses Status, Output and Error only
	failed   machine.FailureKind
	initial  []machine.Effect // of the first macrostep
	children map[childKey]*actor

	started, ended bool
	busy           bool // at work: what comes meanwhile waits
	mailbox        []message
}

// childKey tells two children of one id apart.
type childKey struct {
	id string
	no int64
}

// message is what waits in a mailbox.
type message struct {
	event  machine.Event
	failed machine.FailureKind // of a child's error: what kind it is
	stop   bool                // the parent wants the actor to stop
}

func (a *actor) isTask() bool { return a.program == nil }

// path is the child ids from the root down, "" for the root.
func (a *actor) path() string {
	var ids []string
	for ; a.parent != nil; a = a.parent {
		ids = append([]string{a.id}, ids...)
	}
	return strings.Join(ids, "/")
}

// childOf returns the child that has the id now, nil when there is none.
func (a *actor) childOf(id string) *actor {
	for _, c := range a.snapshot.Children {
		if c.ID == id {
			return a.children[childKey{c.ID, c.No}]
		}
	}
	return nil
}

// create makes the first macrostep.
func (a *actor) create(input value.Value) error {
	a.children = map[childKey]*actor{}
	var err error
	a.initial, err = a.macrostep(func() (machine.Result, error) { return a.program.Start(a.self, input, a.run.moment()) })
	return err
}

// start lets the effects of the first macrostep happen, and then what has been sent since.
func (a *actor) start() error {
	a.started = true
	if a.isTask() {
		return nil
	}
	if err := a.run.descend(); err != nil {
		return err
	}
	defer a.run.ascend()
	a.busy = true
	if err := a.createChildren(a.initial); err != nil {
		return err
	}
	if a.snapshot.Status == machine.Active {
		if err := a.startChildren(); err != nil {
			return err
		}
	}
	if err := a.settle(a.initial); err != nil {
		return err
	}
	a.busy = false
	return a.work()
}

// receive takes a message in, and handles it unless the actor is at work already.
func (a *actor) receive(m message) error {
	if a.ended {
		return nil
	}
	a.mailbox = append(a.mailbox, m)
	if !a.started || a.busy {
		return nil
	}
	return a.work()
}

// work handles what is in the mailbox, one after the other.
func (a *actor) work() error {
	if err := a.run.descend(); err != nil {
		return err
	}
	defer a.run.ascend()
	a.busy = true
	defer func() { a.busy = false }()
	for len(a.mailbox) > 0 {
		m := a.mailbox[0]
		a.mailbox = a.mailbox[1:]
		if err := a.handle(m); err != nil {
			return err
		}
	}
	return nil
}

func (a *actor) handle(m message) error {
	switch {
	case m.stop:
		return a.halt()
	case a.isTask(): // the world outside takes no messages
		return nil
	}
	effects, err := a.step(m.event)
	if err != nil {
		return err
	}
	if a.failed == machine.DataFailure && m.failed != "" {
		a.failed = m.failed // the child's error has become the actor's own
	}
	if err := a.createChildren(effects); err != nil {
		return err
	}
	return a.settle(effects)
}

// step makes the macrostep of an event.
func (a *actor) step(event machine.Event) ([]machine.Effect, error) {
	if a.run.macrosteps++; a.run.macrosteps > maxMacrosteps {
		return nil, fmt.Errorf("%w: more than %d macrosteps", ErrRestless, maxMacrosteps)
	}
	return a.macrostep(func() (machine.Result, error) { return a.program.Step(a.snapshot, event, a.run.moment()) })
}

// deliver sends a delayed message that is due. In XState the clock does that: the actor is not at work
// meanwhile, and handles at once what the receiver answers.
func (a *actor) deliver(event machine.Event) error {
	effects, err := a.step(event)
	if err != nil {
		return err
	}
	for _, e := range effects {
		if err := a.carryOut(e); err != nil {
			return err
		}
	}
	return a.inspect()
}

// settle lets the effects of a macrostep happen, and the actor end if that was its last one.
func (a *actor) settle(effects []machine.Effect) error {
	for _, e := range effects {
		if err := a.carryOut(e); err != nil {
			return err
		}
	}
	switch a.snapshot.Status {
	case machine.Done:
		return a.finish(a.snapshot.Output)
	case machine.Failed:
		return a.fail(a.snapshot.Error, a.failed)
	default:
		return a.inspect()
	}
}
