package machine

// tracer writes a trace down. Microsteps share two arrays of names, so that a trace costs a handful
// of allocations however much happens.
type tracer struct {
	steps   []Microstep
	names   []string
	actions []string
	first   int // of actions, of the microstep under way
	quiet   int // depth of named actions under way: the name stands for what it does
}

// begin opens a microstep.
func (t *tracer) begin(event string, ts []*transition) {
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
func (t *tracer) end() {
	n := len(t.actions)
	t.steps[len(t.steps)-1].Actions = t.actions[t.first:n:n]
	t.first = n
}

func (t *tracer) exited(ids []string)  { t.steps[len(t.steps)-1].Exited = ids }
func (t *tracer) entered(ids []string) { t.steps[len(t.steps)-1].Entered = ids }

// action notes that an action ran, unless it is part of a named one.
func (t *tracer) action(name string) {
	if t.quiet == 0 {
		t.actions = append(t.actions, name)
	}
}

// mark, name and since take a list of names down.
func (t *tracer) mark() int                { return len(t.names) }
func (t *tracer) name(s string)            { t.names = append(t.names, s) }
func (t *tracer) since(start int) []string { return t.names[start:len(t.names):len(t.names)] }
