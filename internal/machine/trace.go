package machine

// tracer writes a trace down. Microsteps share two arrays of names, so that a trace costs a handful
// of allocations however much happens; a trace that was worked out ahead costs none.
type tracer struct {
	steps   []Microstep
	names   []string
	actions []string
	first   int  // of actions, of the microstep under way
	quiet   int  // depth of named actions under way: the name stands for what it does
	planned bool // the microstep under way is one that was worked out ahead
	ran     int  // ... and so many of its actions ran
	enters  bool // ... and it came to its entry
}

// begin opens a microstep.
func (t *tracer) begin(event string, ts []*transition, a *album) {
	if t.planned = len(t.steps) == 0 && allKnown(ts); t.planned {
		t.steps, t.ran, t.enters = a.trace(ts), 0, false
		return
	}
	step := Microstep{Event: event}
	switch len(ts) {
	case 1:
		step.Transitions = ts[0].pointer
	default:
		start := t.mark()
		for _, x := range ts {
			t.name(x.at)
		}
		step.Transitions = t.since(start)
	}
	t.steps = append(t.steps, step)
	t.first = len(t.actions)
}

// end closes the microstep under way.
func (t *tracer) end(failed bool) {
	switch {
	case !t.planned:
		n := len(t.actions)
		t.steps[len(t.steps)-1].Actions = t.actions[t.first:n:n]
		t.first = n
	case failed:
		t.steps = []Microstep{t.steps[0].until(t.ran, t.enters)}
	}
}

// until returns what has happened of a microstep that failed.
func (s Microstep) until(ran int, entering bool) Microstep {
	s.Actions = s.Actions[:ran:ran]
	if !entering {
		s.Entered = nil
	}
	return s
}

func (t *tracer) exited(ids []string) {
	if !t.planned {
		t.steps[len(t.steps)-1].Exited = ids
	}
}

func (t *tracer) entered(ids []string) {
	if t.enters = true; !t.planned {
		t.steps[len(t.steps)-1].Entered = ids
	}
}

// action notes that an action runs, unless it is part of a named one.
func (t *tracer) action(a action) {
	if t.quiet > 0 {
		return
	}
	name := a.name()
	switch {
	case name == "":
	case t.planned:
		t.ran++
	default:
		t.actions = append(t.actions, name)
	}
}

// mark, name and since take a list of names down.
func (t *tracer) mark() int { return len(t.names) }

func (t *tracer) name(s string) {
	if !t.planned {
		t.names = append(t.names, s)
	}
}

func (t *tracer) since(start int) []string { return t.names[start:len(t.names):len(t.names)] }
