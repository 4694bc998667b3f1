package main

import (
	"fmt"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// repeats is how often quick work runs between two looks at the time.
const repeats = 50

// engine does the work of one scenario with this project's engine.
type engine struct {
	scenario *scenario
	program  *machine.Definition
	space    machine.Workspace              // a lane has one as well
	children map[string]*machine.Definition // by name of the actor
	self     *machine.Identity
	event    machine.Event
	initial  machine.Snapshot
	text     []byte // the initial snapshot, as it is persisted
}

func newEngine(s *scenario) (*engine, error) {
	e := &engine{scenario: s, self: &machine.Identity{ID: "m-1", Definition: "bench", Version: 1}, children: map[string]*machine.Definition{}}
	var err error
	if e.program, err = compile(s.definition); err != nil {
		return nil, err
	}
	for name, text := range s.actors {
		if e.children[name], err = compile(text); err != nil {
			return nil, err
		}
	}
	if !s.Event.IsAbsent() {
		e.event = machine.NewEvent(s.Event)
	}
	res, err := e.space.Start(e.program, e.self, value.Value{}, machine.Moment{})
	if err != nil {
		return nil, err
	}
	e.initial = res.Snapshot
	e.text = e.program.AppendSnapshot(nil, e.initial)
	return e, nil
}

func compile(text []byte) (*machine.Definition, error) {
	doc, err := syntax.DecodeJSON(text)
	if err != nil {
		return nil, err
	}
	return machine.Compile(doc)
}

// work does some of a scenario's work and returns how often it did it.
type work func() (int, error)

// bare returns the work with the snapshot as it is in memory.
func (e *engine) bare() work {
	switch e.scenario.Work {
	case planWork:
		return repeated(func() error { _, err := e.step(e.initial); return err })
	case burstWork:
		return e.burst(e.step)
	case createWork:
		return repeated(func() error { return e.create(e.program, false) })
	default:
		return nil // there is no durable round without its text
	}
}

// stored returns the work with the snapshot read before every macrostep and written after it, as it would be
// if every event were persisted by itself.
func (e *engine) stored() work {
	switch e.scenario.Work {
	case planWork, durableWork:
		return repeated(func() error { _, err := e.round(e.text); return err })
	case burstWork:
		return e.burst(e.stepStored)
	case createWork:
		return repeated(func() error { return e.create(e.program, true) })
	default:
		return nil
	}
}

func repeated(once func() error) work {
	return func() (int, error) {
		for range repeats {
			if err := once(); err != nil {
				return 0, err
			}
		}
		return repeats, nil
	}
}

func (e *engine) step(s machine.Snapshot) (machine.Snapshot, error) {
	res, err := e.space.Step(e.program, s, e.event, machine.Moment{})
	return res.Snapshot, err
}

// round reads a snapshot, takes the event, and writes the next one.
func (e *engine) round(text []byte) ([]byte, error) {
	s, err := e.program.DecodeSnapshot(e.self, text)
	if err != nil {
		return nil, err
	}
	if s, err = e.step(s); err != nil {
		return nil, err
	}
	return e.program.AppendSnapshot(nil, s), nil
}

// stepStored is a round between two snapshots in memory: what it is given was read, and what it returns is
// read by the next one.
func (e *engine) stepStored(s machine.Snapshot) (machine.Snapshot, error) {
	s, err := e.step(s)
	if err != nil {
		return s, err
	}
	return e.program.DecodeSnapshot(e.self, e.program.AppendSnapshot(nil, s))
}

// burst starts a machine and lets it take the event until it is done.
func (e *engine) burst(step func(machine.Snapshot) (machine.Snapshot, error)) work {
	return func() (int, error) {
		s, err := e.drain(step)
		if err == nil && s.Status != machine.Done {
			err = fmt.Errorf("the machine is %s after %d events", s.Status, e.scenario.Events)
		}
		return e.scenario.Events, err
	}
}

func (e *engine) drain(step func(machine.Snapshot) (machine.Snapshot, error)) (machine.Snapshot, error) {
	res, err := e.space.Start(e.program, e.self, value.Value{}, machine.Moment{})
	if err != nil {
		return res.Snapshot, err
	}
	s := res.Snapshot
	for range e.scenario.Events {
		if s, err = step(s); err != nil {
			return s, err
		}
	}
	return s, nil
}

// create starts a machine and the machines that it invokes, and stops them. To the core, being stopped is a
// status.
func (e *engine) create(d *machine.Definition, stored bool) error {
	res, err := e.space.Start(d, e.self, value.Value{}, machine.Moment{})
	if err != nil {
		return err
	}
	s := res.Snapshot
	if stored {
		if s, err = d.DecodeSnapshot(e.self, d.AppendSnapshot(nil, s)); err != nil {
			return err
		}
	}
	for _, effect := range res.Effects {
		if child, ok := effect.(machine.StartChild); ok {
			if err := e.create(e.children[e.scenario.sources[child.Src]], stored); err != nil {
				return err
			}
		}
	}
	s.Status = machine.Stopped
	if stored {
		d.AppendSnapshot(nil, s)
	}
	return nil
}

// sample returns what the scenario leads to, as the contestants report it.
func (e *engine) sample() (value.Value, error) {
	s, err := e.initial, error(nil)
	switch e.scenario.Work {
	case planWork, durableWork:
		s, err = e.step(s)
	case burstWork:
		s, err = e.drain(e.step)
	}
	return value.OfObject(
		value.Member{Key: "status", Value: value.OfText(s.Status.String())},
		value.Member{Key: "value", Value: e.program.StateValue(s)},
		value.Member{Key: "context", Value: s.Context},
	), err
}
