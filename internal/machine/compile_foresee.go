package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/syntax"
)

// foresee works out, for a transition that has been planned, what a step would otherwise find out
// every time: the configuration that it leads to, and its trace. Either may depend on more than the
// transition, and is left to the step then. Of an eventless transition, which is taken in the course
// of any event, and of one for a wildcard, the event is "".
func (c *compiler) foresee(event string, t *transition) {
	if !t.static {
		return
	}
	if len(t.targets) > 0 {
		c.foreseeAfter(t)
	}
	if event != "" {
		c.foreseeTrace(event, t)
	}
}

// foreseeTrace works out what a microstep of the transition leaves in a trace.
func (c *compiler) foreseeTrace(event string, t *transition) {
	exited, always := c.exitedBy(t)
	if !always || c.mayEnd(t) {
		return
	}
	step := Microstep{Event: event, Transitions: t.pointer, Entered: t.ids}
	exit, own, entry := names{}, names{}, names{}
	own.add(t.actions)
	for _, n := range exited {
		step.Exited = append(step.Exited, c.d.nodes[n].id)
		exit.add(c.d.nodes[n].exit)
	}
	for _, x := range t.plan {
		n := &c.d.nodes[x.state]
		entry.add(n.entry)
		if x.byDefault && n.initial != nil {
			entry.add(n.initial.actions)
		}
	}
	if exit.unsure || own.unsure || entry.unsure {
		return
	}
	step.Actions = slices.Concat(exit.list, own.list, entry.list)
	c.planned += len(step.Exited) + len(step.Actions)
	t.footprint = &footprint{steps: []Microstep{step}, exit: exit.list, own: own.list, entry: entry.list}
}

// names is how a trace calls actions, unless it depends on a guard which of them run.
type names struct {
	list   []string
	unsure bool
}

func (n *names) add(list []action) {
	for _, a := range list {
		if _, choice := a.(chooseAction); choice {
			n.unsure = true
		}
		if name := a.name(); name != "" {
			n.list = append(n.list, name)
		}
	}
}

// foreseeAfter works out the configuration that a transition leads to: what is around its domain, and
// what it enters. Beside a parallel state other regions are active, in whichever states.
func (c *compiler) foreseeAfter(t *transition) {
	var around []int32 // innermost first
	for n := t.domain; n != none; n = c.d.nodes[n].parent {
		if n != t.domain && c.d.nodes[n].kind == syntax.Parallel {
			return
		}
		around = append(around, n)
	}
	t.after = make([]int32, 0, len(around)+len(t.plan))
	for _, n := range slices.Backward(around) {
		t.after = append(t.after, n)
	}
	for _, x := range t.plan {
		if x.state != t.domain && !c.d.isDescendant(t.domain, x.state) { // it may be entered again without having been left
			t.after = append(t.after, x.state)
		}
	}
	c.planned += len(t.after)
}

// exitedBy returns what a transition leaves, innermost first, if that is always the same: when it
// leads away from a leaf, and there is no other region between that and its domain.
func (c *compiler) exitedBy(t *transition) (states []int32, always bool) {
	if len(t.targets) == 0 || t == c.d.initial {
		return nil, true
	}
	if t.source == t.domain {
		return nil, c.d.nodes[t.source].isLeaf()
	}
	if !c.d.nodes[t.source].isLeaf() {
		return nil, false
	}
	for n := t.source; n != t.domain; n = c.d.nodes[n].parent {
		if parent := c.d.nodes[n].parent; parent != none && c.d.nodes[parent].kind == syntax.Parallel {
			return nil, false
		}
		states = append(states, n)
	}
	return states, true
}

// mayEnd reports whether the transition may end the machine, so that what is active runs its exit
// actions as well.
func (c *compiler) mayEnd(t *transition) bool {
	for _, x := range t.plan {
		if c.d.nodes[x.state].kind == syntax.Final {
			return c.exits
		}
	}
	return false
}
