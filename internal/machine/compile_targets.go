package machine

import (
	"strings"

	"github.com/detent-run/detent/internal/machine/syntax"
)

// maxPaired is how many pairs of targets a definition may have: each pair is looked at.
const maxPaired = 1_000_000

// targets resolves the targets of a transition of a state, and holds them to be compatible.
func (c *compiler) targets(source int32, t *syntax.Transition) []int32 {
	var out []int32
	for _, text := range t.Targets {
		if n := c.target(source, text, t.At); n != none {
			out = append(out, n)
		}
	}
	c.paired += len(out) * (len(out) - 1) / 2
	if c.paired > maxPaired {
		c.fault(t.At, CodeTooManyTargets, "up to here the transitions have %d pairs of targets, at most %d", c.paired, maxPaired)
		return out
	}
	for i, a := range out {
		for _, b := range out[:i] {
			c.checkCompatible(a, b, t.At)
		}
	}
	return out
}

// target resolves one target as seen from a state: "#id.key", ".child.key", or keys from the
// state's parent down.
func (c *compiler) target(source int32, text, at string) int32 {
	from, path := c.d.nodes[source].parent, text
	switch {
	case strings.HasPrefix(text, "#"):
		return c.targetByID(text, at)
	case strings.HasPrefix(text, "."):
		from, path = source, text[1:]
	case from == none:
		c.fault(at, CodeUnknownTarget, "the machine has no siblings, so %q names nothing; a state in it is %q", text, "."+text)
		return none
	}
	n, missing := c.d.walk(from, splitPath(path))
	if missing != nil {
		c.unknownChild(at, text, missing)
	}
	return n
}

// targetByID resolves a target that begins with an id.
func (c *compiler) targetByID(text, at string) int32 {
	parts := splitPath(text[1:])
	n, ok := c.d.byID[parts[0]]
	if !ok {
		c.unknown(at, CodeUnknownTarget, "the target "+text+": no state has the id", parts[0],
			len(c.d.nodes), func(i int) string { return c.d.nodes[i].id })
		return none
	}
	n, missing := c.d.walk(n, parts[1:])
	if missing != nil {
		c.unknownChild(at, text, missing)
	}
	return n
}

// unknownChild reports a target that names a child that is not there. Often the state is there, and
// only the way to it is wrong.
func (c *compiler) unknownChild(at, text string, missing *unknownKey) {
	parent := c.states[missing.state]
	what := "the target " + text + ": " + describeState(&c.d.nodes[missing.state]) + " has no state"
	near := c.nearest(missing.key, len(parent.States), func(i int) string { return parent.States[i].Key })
	if near != "" {
		c.fault(at, CodeUnknownTarget, "%s %q; did you mean %q?", what, missing.key, near)
		return
	}
	if c.compared+len(c.d.nodes) <= maxCompared {
		c.compared += len(c.d.nodes)
		for i := range c.d.nodes {
			if n := &c.d.nodes[i]; n.key == missing.key {
				c.fault(at, CodeUnknownTarget, "%s %q; there is one elsewhere, \"#%s\"", what, missing.key, n.id)
				return
			}
		}
	}
	c.fault(at, CodeUnknownTarget, "%s %q", what, missing.key)
}

func describeState(n *node) string {
	if n.parent == none {
		return "the machine"
	}
	return "the state " + n.id
}

// checkCompatible refuses two targets that cannot be active together or that say twice what is to be
// entered in one region. XState would enter both and break its configuration.
func (c *compiler) checkCompatible(a, b int32, at string) {
	if a == b || c.d.isDescendant(a, b) || c.d.isDescendant(b, a) {
		c.fault(at, CodeConflictingTarget, "two targets where one is or holds the other: #%s and #%s", c.d.nodes[a].id, c.d.nodes[b].id)
		return
	}
	if !c.inSeparateRegions(a, b) {
		c.fault(at, CodeConflictingTarget, "two targets that cannot be active together: #%s and #%s do not lie in two regions of one parallel state", c.d.nodes[a].id, c.d.nodes[b].id)
	}
}

// inSeparateRegions reports whether the nearest state that holds both is parallel, and has each in a
// region of its own. A history state of the parallel state itself is in none.
func (c *compiler) inSeparateRegions(a, b int32) bool {
	x := a
	for !c.d.isDescendant(b, c.d.nodes[x].parent) {
		x = c.d.nodes[x].parent
	}
	y := b
	for c.d.nodes[y].parent != c.d.nodes[x].parent {
		y = c.d.nodes[y].parent
	}
	together := &c.d.nodes[c.d.nodes[x].parent]
	return together.kind == syntax.Parallel && c.d.nodes[x].kind != syntax.History && c.d.nodes[y].kind != syntax.History
}

// checkDefaults refuses an initial or a history default that leads back to itself: entering it would
// never end.
func (c *compiler) checkDefaults() {
	stages := make([]stage, len(c.d.nodes))
	for i := range c.d.nodes {
		c.followDefault(int32(i), stages)
	}
}

// followDefault goes where entering a state by default leads, and reports the history state at which
// it comes back to a state that it is in already.
func (c *compiler) followDefault(state int32, stages []stage) (loops bool) {
	n := &c.d.nodes[state]
	if stages[state] == underWay {
		return true
	}
	if stages[state] == finished {
		return false
	}
	stages[state] = underWay
	defer func() { stages[state] = finished }()
	var next []int32
	switch {
	case n.kind == syntax.History && n.fallback != nil:
		next = n.fallback.targets
	case n.kind == syntax.Compound && n.initial != nil:
		next = n.initial.targets
	case n.kind == syntax.Parallel:
		next = n.regions
	}
	for _, to := range next {
		if !c.followDefault(to, stages) {
			continue
		}
		if n.kind != syntax.History {
			return true
		}
		c.fault(c.states[state].At, CodeEndless, "the default of the history state #%s leads back to itself; give it a target", n.id)
		return false
	}
	return false
}
