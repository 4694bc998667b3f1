package conformance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// Options is how strictly a case is run and compared.
type Options struct {
	// Partial compares those keys only that an entry of the expectations has, and no entry that is null.
	Partial bool
	// Strict makes every macrostep twice, which must give the same bytes, and goes on with what the
	// JSON of the snapshot says.
	Strict bool
}

// The limits of one step of a case. Machines can keep each other busy for ever; a run must end.
const (
	maxMacrosteps = 10_000
	maxDepth      = 1_000 // of actors that send to each other while their senders are still busy
)

// ErrRestless is returned by Run when a step makes more macrosteps than its limit, or nests deeper.
var ErrRestless = errors.New("the machines do not come to rest")

// Run plays a case and returns what was observed after the start and after each step, in the form of
// the case's expectations. A definition that is refused leads to one entry of status "invalid".
// The error is a fault of the engine or of the case, never a failure that a machine is meant to show.
func Run(c *Case, o Options) ([]value.Value, error) {
	defs, err := compileAll(c)
	if err != nil {
		return []value.Value{invalid(err)}, nil
	}
	r := &run{options: o, definitions: defs, clock: clock{start: c.Start}}
	if err := r.begin(c); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	entries := []value.Value{r.observe()}
	for i, step := range c.Steps {
		if err := r.play(step); err != nil {
			return entries, fmt.Errorf("step %d %s: %w", i+1, step, err)
		}
		entries = append(entries, r.observe())
	}
	return entries, nil
}

// run is a case under way.
type run struct {
	options     Options
	definitions definitions
	clock       clock
	root        *actor
	seen        journal
	macrosteps  int // of this step
	depth       int // of actors at work, each inside an effect of the one before
}

// begin makes the root machine and starts it.
func (r *run) begin(c *Case) error {
	r.root = &actor{run: r, program: r.definitions.root, id: "root", self: &machine.Identity{ID: "root", Definition: "root", Version: 1}}
	if err := r.root.create(c.Input); err != nil {
		return err
	}
	return r.root.start()
}

// descend counts an actor that goes to work while others are still at work.
func (r *run) descend() error {
	if r.depth++; r.depth > maxDepth {
		return fmt.Errorf("%w: more than %d actors at work inside each other", ErrRestless, maxDepth)
	}
	return nil
}

func (r *run) ascend() { r.depth-- }

// play lets a step happen.
func (r *run) play(s Step) error {
	r.macrosteps = 0
	switch s.Kind {
	case EventStep:
		return r.root.receive(message{event: machine.NewEvent(s.Event)})
	case AdvanceStep:
		return r.advance(s.Advance)
	default:
		return r.finishTask(s)
	}
}

// advance fires what is due by then. What a timer leads to may start and cancel others.
func (r *run) advance(by machine.Time) error {
	if by > maxMillis*microsPerMilli-r.clock.now {
		return fmt.Errorf("more than %v milliseconds since the start", maxMillis)
	}
	end := r.clock.now + by
	for { // every firing is a macrostep, and these are limited
		t, ok := r.clock.next(end)
		if !ok {
			r.clock.now = end
			return nil
		}
		r.clock.now = max(r.clock.now, t.due)
		event := machine.Event{Type: t.timer.Event.Get("type").Text(), Data: t.timer.Event, Origin: machine.FromTimer, Timer: t.timer.No}
		var err error
		if t.timer.To.Kind != machine.ToSelf {
			err = t.owner.deliver(event)
		} else {
			err = t.owner.receive(message{event: event})
		}
		if err != nil {
			return err
		}
	}
}

// finishTask ends a task. When there is none of that id any more, nothing happens.
func (r *run) finishTask(s Step) error {
	owner := r.root
	if s.Task.Of != "" {
		for id := range strings.SplitSeq(s.Task.Of, "/") {
			if owner = owner.childOf(id); owner == nil {
				return nil
			}
		}
	}
	task := owner.childOf(s.Task.ID)
	if task == nil || !task.isTask() || task.ended {
		return nil
	}
	if s.Kind == FailStep {
		return task.fail(s.Task.Data, machine.DataFailure)
	}
	return task.finish(s.Task.Data)
}

// moment is now: here a macrostep is processed the moment its event happens.
func (r *run) moment() machine.Moment {
	at := r.clock.start + r.clock.now
	return machine.Moment{Event: at, Processing: at}
}
