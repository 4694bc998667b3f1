package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/syntax"
)

// record works out, for a transition that has been planned, what a step would otherwise find out
// every time: the configuration that it leads to, and its trace. Either may depend on more than the
// transition, and is left to the step then.
func (c *compiler) record(event string, t *transition) {
	if !t.static {
		return
	}
	if len(t.targets) > 0 {
		c.recordAfter(t)
	}
	if event == "" {
		return // eventless: it is taken in the course of any event
	}
	step := Microstep{Event: event, Transitions: t.pointer, Entered: t.ids}
	exited, ok := c.exitedBy(t)
	if !ok || c.mayEnd(t) {
		return
	}
	var names []string
	for _, n := range exited {
		step.Exited = append(step.Exited, c.d.nodes[n].id)
		names, ok = appendNames(names, c.d.nodes[n].exit, ok)
	}
	names, ok = appendNames(names, t.actions, ok)
	for _, x := range t.plan {
		n := &c.d.nodes[x.state]
		names, ok = appendNames(names, n.entry, ok)
		if x.byDefault && n.initial != nil {
			names, ok = appendNames(names, n.initial.actions, ok)
		}
	}
	if ok {
		step.Actions = names
		t.record = []Microstep{step}
	}
}

// recordAfter works out the configuration that a transition leads to: what is around its domain, and
// what it enters. Beside a parallel state other regions are active, in whichever states.
func (c *compiler) recordAfter(t *transition) {
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
		if !slices.Contains(around, x.state) { // it may be entered again without having been left
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
		if c.d.nodes[n].kind == syntax.Parallel {
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

// appendNames appends how a trace calls actions, as long as it is sure which of them run.
func appendNames(to []string, list []action, sure bool) ([]string, bool) {
	for _, a := range list {
		if _, choice := a.(chooseAction); choice {
			return to, false
		}
		if name := a.name(); name != "" {
			to = append(to, name)
		}
	}
	return to, sure
}
