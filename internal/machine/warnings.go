package machine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/machine/syntax"
)

// warn looks for what is suspicious in a definition that has no fault. Warnings about a place are
// given where the place is compiled; these need the whole machine.
func (c *compiler) warn() {
	reached := c.reach()
	c.exitsOf = make([]exit, len(c.d.nodes))
	for i := range c.d.nodes {
		n := &c.d.nodes[i]
		switch {
		case !reached[i]:
			if n.parent == none || reached[n.parent] {
				c.warnf(c.states[i].At, CodeUnreachable, "nothing leads to the state #%s", n.id)
			}
		case n.kind == syntax.Atomic && n.parent != none && !c.canBeLeft(n):
			c.warnf(c.states[i].At, CodeDeadEnd, "the state #%s can never be left, and is not final", n.id)
		}
	}
	taken := c.takers()
	for _, r := range c.raised {
		if !taken(r.event) {
			c.warnf(r.at, CodeUntaken, "no state takes the event %q", r.event)
		}
	}
	slices.SortStableFunc(c.warnings, func(a, b syntax.Fault) int { return cmp.Compare(a.Pointer, b.Pointer) })
	c.warnings = slices.Compact(c.warnings)
}

// reach returns which states some path from the start leads to, whatever guards say. It knows
// nothing of events, so that it never calls a state unreachable that is reachable.
func (c *compiler) reach() []bool {
	reached := make([]bool, len(c.d.nodes))
	var work []int32
	mark := func(n int32) {
		for ; n != none && !reached[n]; n = c.d.nodes[n].parent {
			reached[n] = true
			work = append(work, n)
		}
	}
	mark(0)
	for len(work) > 0 {
		n := &c.d.nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, to := range c.leadsTo(n) {
			mark(to)
		}
	}
	return reached
}

// leadsTo returns the states that an active state can bring about.
func (c *compiler) leadsTo(n *node) []int32 {
	var out []int32
	switch {
	case n.kind == syntax.Parallel:
		out = append(out, n.regions...)
	case n.initial != nil && n.kind == syntax.Compound:
		out = append(out, n.initial.targets...)
	case n.fallback != nil:
		out = append(out, n.fallback.targets...)
	}
	for _, t := range n.candidates() {
		out = append(out, t.targets...)
	}
	return out
}

// candidates returns all transitions that a state has.
func (n *node) candidates() []*transition {
	out := slices.Clone(n.always)
	for _, x := range n.exact {
		out = append(out, x.list...)
	}
	return out
}

// exit is what a state's own transitions mean for those who look for a way out of a state in it: all
// that matters is whether each of them leads to one and the same target.
type exit struct {
	known bool
	some  bool  // there is a transition with targets
	only  int32 // the single target of all of them, none when they differ
}

func (c *compiler) exitOf(n *node) exit {
	x := &c.exitsOf[n.index]
	if x.known {
		return *x
	}
	x.known = true
	for _, t := range n.candidates() {
		switch {
		case len(t.targets) == 0:
			continue
		case len(t.targets) > 1 || x.some && x.only != t.targets[0]:
			x.only = none
		default:
			x.only = t.targets[0]
		}
		x.some = true
		if x.only == none {
			break
		}
	}
	return *x
}

// canBeLeft reports whether the state or one around it has a transition that may leave it, or whether
// it lies beside a region that may end the whole.
func (c *compiler) canBeLeft(n *node) bool {
	for x := n; ; x = &c.d.nodes[x.parent] {
		if out := c.exitOf(x); out.some && out.only != n.index {
			return true
		}
		if x.parent == none {
			return false
		}
		if c.d.nodes[x.parent].kind == syntax.Parallel {
			return true // a region may well rest while others go on
		}
	}
}

// takers returns a function that reports whether some state has a candidate for an event type.
func (c *compiler) takers() func(event string) bool {
	all, prefixes := false, map[string]bool{}
	for i := range c.d.nodes {
		for _, w := range c.d.nodes[i].wild {
			all = all || w.all
			prefixes[w.prefix] = true
		}
	}
	return func(event string) bool {
		if _, exact := c.d.events[event]; exact || all && event != "*" || strings.HasPrefix(event, "xstate.") {
			return true
		}
		for i := range len(event) + 1 {
			// A descriptor does not take an event that is spelled like it.
			if (i == len(event) || event[i] == '.') && prefixes[event[:i]] && event[i:] != ".*" {
				return true
			}
		}
		return false
	}
}
