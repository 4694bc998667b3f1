package conformance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// DefaultStart is the instant at which a case starts that does not say otherwise: 2025-01-01T00:00:00Z.
const DefaultStart machine.Time = 1735689600_000_000

// microsPerMilli converts a case's milliseconds into the engine's microseconds.
const microsPerMilli = 1000

// Case is one case, as its file has it. Keys that only describe it (about, quirk, features) are not
// kept.
type Case struct {
	Name       string
	Source     value.Value // all of it, as written
	Definition value.Value
	Actors     value.Value // definitions by the name that setup.actors gives them
	Input      value.Value // Absent when there is none
	Start      machine.Time
	Steps      []Step
	Expect     []value.Value // an entry for the start and one for each step; null ones are unknown
}

// Step is something that happens to a machine from outside.
type Step struct {
	Kind    StepKind
	Event   value.Value  // of EventStep
	Advance machine.Time // of AdvanceStep
	Task    TaskResult   // of CompleteStep and FailStep
	text    value.Value
}

// StepKind tells steps apart.
type StepKind uint8

// The kinds of steps, named by their keys in a case.
const (
	EventStep StepKind = iota
	AdvanceStep
	CompleteStep
	FailStep
)

// TaskResult is how a task ends. Of is the way to the machine that has the task, as child ids joined
// by slashes, "" for the root.
type TaskResult struct {
	ID, Of string
	Data   value.Value // its output or its error
}

// String returns the step as the case has it.
func (s Step) String() string { return s.text.String() }

// decodeCase reads a case. An error names the key that is wrong.
func decodeCase(v value.Value) (*Case, error) {
	if v.Kind() != value.Object {
		return nil, fmt.Errorf("a case is an object, this is %s", describe(v))
	}
	c := &Case{
		Name:       v.Get("name").Text(),
		Source:     v,
		Definition: v.Get("definition"),
		Actors:     v.Get("actors"),
		Input:      v.Get("input"),
		Start:      DefaultStart,
	}
	if c.Definition.IsAbsent() {
		return nil, errors.New(`"definition" is missing`)
	}
	if actors := c.Actors; !actors.IsAbsent() && actors.Kind() != value.Object {
		return nil, fmt.Errorf(`"actors" is an object of definitions, this is %s`, describe(actors))
	}
	if start := v.Get("start"); !start.IsAbsent() {
		micros, err := micros(start)
		if err != nil {
			return nil, fmt.Errorf(`"start": %w`, err)
		}
		c.Start = micros
	}
	steps, err := list(v, "steps")
	if err != nil {
		return nil, err
	}
	for i, step := range steps {
		s, err := decodeStep(step)
		if err != nil {
			return nil, fmt.Errorf("steps/%d: %w", i, err)
		}
		c.Steps = append(c.Steps, s)
	}
	c.Expect, err = list(v, "expect")
	return c, err
}

func list(v value.Value, key string) ([]value.Value, error) {
	elems := v.Get(key)
	if !elems.IsAbsent() && elems.Kind() != value.Array {
		return nil, fmt.Errorf("%q is an array, this is %s", key, describe(elems))
	}
	return elems.Elems(), nil
}

// decodeStep reads a step: an object of exactly one key.
func decodeStep(v value.Value) (Step, error) {
	if v.Kind() != value.Object || v.Len() != 1 {
		return Step{}, fmt.Errorf("a step is an object of one key, this is %s", describe(v))
	}
	s := Step{text: v}
	key, what := v.Member(0)
	var err error
	switch key {
	case "event":
		s.Kind, s.Event = EventStep, what
		if what.Get("type").Kind() != value.Text {
			err = errors.New("an event is an object with a type")
		}
	case "advance":
		s.Kind = AdvanceStep
		s.Advance, err = micros(what)
		if err == nil && s.Advance < 0 {
			err = errors.New("time does not go back")
		}
	case "complete":
		s.Kind = CompleteStep
		s.Task, err = decodeResult(what, "output")
	case "fail":
		s.Kind = FailStep
		s.Task, err = decodeResult(what, "error")
	default:
		err = errors.New("a step is one of event, advance, complete and fail")
	}
	if err != nil {
		return Step{}, fmt.Errorf("%s: %w", key, err)
	}
	return s, nil
}

func decodeResult(v value.Value, data string) (TaskResult, error) {
	if v.Get("id").Kind() != value.Text {
		return TaskResult{}, errors.New("the id of the task is missing")
	}
	for i := range v.Len() {
		if key, _ := v.Member(i); key != "id" && key != "of" && key != data {
			return TaskResult{}, fmt.Errorf("unknown key %q", key)
		}
	}
	if of := v.Get("of"); !of.IsAbsent() && of.Kind() != value.Text {
		return TaskResult{}, fmt.Errorf(`"of" is the ids of child machines joined by slashes, this is %s`, describe(of))
	}
	return TaskResult{ID: v.Get("id").Text(), Of: v.Get("of").Text(), Data: v.Get(data)}, nil
}

// maxMillis bounds instants and spans (about 140,000 years), so that the sum of two is within what the
// engine's microseconds can hold.
const maxMillis = 4.5e15

func micros(v value.Value) (machine.Time, error) {
	millis, ok := v.Number()
	if !ok || millis > maxMillis || millis < -maxMillis {
		return 0, fmt.Errorf("not a number of milliseconds: %s", describe(v))
	}
	return machine.Time(millis * microsPerMilli), nil
}

// maxDescription is how many bytes of a value stand in an error message.
const maxDescription = 60

// describe shows a value in a message, shortened.
func describe(v value.Value) string {
	if v.IsAbsent() {
		return "absent"
	}
	text := v.String()
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "") + "..."
	}
	return text
}
