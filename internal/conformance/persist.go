package conformance

import (
	"errors"
	"fmt"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// Persist plays a case and returns what XState would persist of its machine after the start and after each
// step: the part of each snapshot that is XState's, with those of the children in it.
func Persist(c *Case) ([]value.Value, error) {
	defs, err := compileAll(c)
	if err != nil {
		return nil, err
	}
	r := &run{definitions: defs, clock: clock{start: c.Start}}
	if err := r.begin(c); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	var all []value.Value
	for i := 0; ; i++ {
		persisted, err := r.root.persisted()
		if err != nil {
			return nil, err
		}
		if all = append(all, persisted); i == len(c.Steps) {
			return all, nil
		}
		if err := r.play(c.Steps[i]); err != nil {
			return nil, fmt.Errorf("step %d %s: %w", i+1, c.Steps[i], err)
		}
	}
}

// persisted is what XState's getPersistedSnapshot would return.
func (a *actor) persisted() (value.Value, error) {
	if a.isTask() {
		out := value.OfObject(value.Member{Key: "status", Value: statusOf(a.snapshot.Status)})
		if a.snapshot.Status == machine.Active {
			out = put(out, "input", a.input)
		}
		return put(put(out, "output", a.snapshot.Output), "error", a.snapshot.Error), nil
	}
	own, err := value.Parse(a.program.AppendSnapshot(nil, a.snapshot))
	if err != nil {
		return value.Value{}, err
	}
	children := own.Get("children")
	for _, c := range a.snapshot.Children {
		child := a.children[childKey{c.ID, c.No}]
		if child == nil {
			continue // it has ended with its parent
		}
		persisted, err := child.persisted()
		if err != nil {
			return value.Value{}, err
		}
		children = children.With(c.ID, children.Get(c.ID).With("snapshot", persisted))
	}
	out := value.OfObject()
	for i := range own.Len() {
		if key, v := own.Member(i); key != "detent" {
			out = out.With(key, v)
		}
	}
	return out.With("children", children), nil
}

// ErrTimers is returned by Resume for a step that lets time pass while timers run that an import has
// started and that XState does not start.
var ErrTimers = errors.New("timers run that XState does not have")

// Resume imports what XState has persisted after the first steps of a case, plays the others, and
// returns what was observed after each of them. With ErrTimers it returns what was observed until then.
func Resume(c *Case, steps int, persisted value.Value) ([]value.Value, error) {
	defs, err := compileAll(c)
	if err != nil {
		return nil, err
	}
	r := &run{options: Options{Strict: true}, definitions: defs, clock: clock{start: c.Start + c.elapsed(steps)}}
	r.root = &actor{run: r, program: defs.root, id: "root", self: &machine.Identity{ID: "root", Definition: "root", Version: 1}}
	if err := r.root.restore(persisted); err != nil {
		return nil, err
	}
	imported := append([]runningTimer(nil), r.clock.timers...)
	var entries []value.Value
	for i, step := range c.Steps[steps:] {
		if step.Kind == AdvanceStep && r.clock.hasAny(imported) {
			return entries, ErrTimers
		}
		if err := r.play(step); err != nil {
			return entries, fmt.Errorf("step %d %s: %w", steps+i+1, step, err)
		}
		entries = append(entries, r.observe())
	}
	return entries, nil
}

// elapsed is how much time has passed after so many steps.
func (c *Case) elapsed(steps int) machine.Time {
	var passed machine.Time
	for _, s := range c.Steps[:steps] {
		passed += s.Advance
	}
	return passed
}

// restore makes the actor what a persisted snapshot says, and its children what the snapshots in it say.
func (a *actor) restore(persisted value.Value) error {
	a.started, a.children = true, map[childKey]*actor{}
	if a.isTask() {
		return a.restoreTask(persisted)
	}
	var err error
	if a.snapshot, err = a.program.ImportSnapshot(a.self, persisted.AppendJSON(nil), a.run.moment()); err != nil {
		return err
	}
	for _, t := range a.snapshot.Timers {
		a.run.clock.set(a, t)
	}
	for _, c := range a.snapshot.Children {
		child := &actor{run: a.run, parent: a, id: c.ID, src: c.Src}
		if !c.Task {
			child.self = &machine.Identity{ID: c.ID, Definition: a.program.machines[c.Src], Version: 1, Parent: a.self.ID}
			if child.program, err = a.run.definitions.child(a.program, c.Src); err != nil {
				return err
			}
		}
		if err := child.restore(persisted.Get("children").Get(c.ID).Get("snapshot")); err != nil {
			return fmt.Errorf("child %s: %w", c.ID, err)
		}
		a.children[childKey{c.ID, c.No}] = child
	}
	a.settled()
	return nil
}

func (a *actor) restoreTask(persisted value.Value) error {
	for status := machine.Active; status <= machine.Stopped; status++ {
		if persisted.Get("status").Text() == status.String() {
			a.snapshot.Status = status
			a.input, a.snapshot.Output, a.snapshot.Error = persisted.Get("input"), persisted.Get("output"), persisted.Get("error")
			a.settled()
			return nil
		}
	}
	return fmt.Errorf("a task has no status %s", persisted.Get("status"))
}

// settled marks an actor that has ended. Of a restored error nobody knows any more whose it was.
func (a *actor) settled() {
	a.ended = a.snapshot.Status != machine.Active
	if a.snapshot.Status == machine.Failed {
		a.failed = machine.DataFailure
	}
}

// hasAny reports whether one of the timers still runs.
func (c *clock) hasAny(timers []runningTimer) bool {
	for _, t := range timers {
		for _, running := range c.timers {
			if running.owner == t.owner && running.timer.No == t.timer.No {
				return true
			}
		}
	}
	return false
}
