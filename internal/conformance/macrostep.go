package conformance

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/detent-run/detent/internal/machine"
)

// The ways in which the engine can break its own contract, whatever the case expects.
var (
	errNotPure    = errors.New("a macrostep made twice gave two results")
	errNotDurable = errors.New("a snapshot is not the same after its JSON was read back")
	errIncoherent = errors.New("effects and snapshot do not agree")
)

// macrostep takes over the result of a macrostep and returns its effects.
func (a *actor) macrostep(do func() (machine.Result, error)) ([]machine.Effect, error) {
	res, err := do()
	failure, failed := errors.AsType[*machine.Failure](err)
	switch {
	case err != nil && !failed:
		return nil, err
	case failed && res.Snapshot.Status != machine.Failed:
		return nil, fmt.Errorf("%w: the macrostep failed (%w), but the status is not error", errIncoherent, err)
	case failed:
		a.failed = failure.Kind
	case res.Snapshot.Status == machine.Failed && a.snapshot.Status != machine.Failed:
		return nil, fmt.Errorf("%w: the status is error, but no failure was returned", errIncoherent)
	}
	if a.run.options.Strict {
		again, _ := do()
		if a.fingerprint(res) != a.fingerprint(again) {
			return nil, errNotPure
		}
		if res.Snapshot, err = a.reread(res.Snapshot); err != nil {
			return nil, err
		}
	}
	a.snapshot = res.Snapshot
	return res.Effects, nil
}

// fingerprint is everything about a result, as text.
func (a *actor) fingerprint(res machine.Result) string {
	return fmt.Sprintf("%s %v %v %t %t", a.program.AppendSnapshot(nil, res.Snapshot), res.Effects, res.Trace, res.Handled, res.Changed)
}

// reread sends a snapshot through its JSON and back, as a service does that forgets its machines.
func (a *actor) reread(s machine.Snapshot) (machine.Snapshot, error) {
	text := a.program.AppendSnapshot(nil, s)
	read, err := a.program.DecodeSnapshot(a.self, text)
	if err != nil {
		return s, fmt.Errorf("%w: %s: %w", errNotDurable, text, err)
	}
	if again := a.program.AppendSnapshot(nil, read); !bytes.Equal(again, text) {
		return s, fmt.Errorf("%w:\n%s\n%s", errNotDurable, text, again)
	}
	return read, nil
}

// inspect holds the snapshot of an active machine to the effects that led to it: the timers that run
// and the children that live must be those that it lists.
func (a *actor) inspect() error {
	if a.snapshot.Status != machine.Active {
		return nil
	}
	running := a.run.clock.of(a)
	if len(running) != len(a.snapshot.Timers) {
		return fmt.Errorf("%w: %d timers run, the snapshot has %d", errIncoherent, len(running), len(a.snapshot.Timers))
	}
	deadlines := map[int64]machine.Time{}
	for _, t := range running {
		deadlines[t.timer.No] = t.timer.Deadline
	}
	for _, t := range a.snapshot.Timers {
		if deadline, ok := deadlines[t.No]; !ok || deadline != t.Deadline {
			return fmt.Errorf("%w: timer %d of the snapshot does not run, or not until then", errIncoherent, t.No)
		}
	}
	if len(a.children) != len(a.snapshot.Children) {
		return fmt.Errorf("%w: %d children live, the snapshot has %d", errIncoherent, len(a.children), len(a.snapshot.Children))
	}
	for _, c := range a.snapshot.Children {
		child := a.children[childKey{c.ID, c.No}]
		if child == nil || child.isTask() != c.Task || child.src != c.Src {
			return fmt.Errorf("%w: child %q of the snapshot was never started as that", errIncoherent, c.ID)
		}
	}
	return nil
}
