package machine_test

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/syntax"
)

// effective is the effective targets of a transition (3.9.1).
func (s *twinStep) effective(t *twinTransition) []*twinNode {
	var out []*twinNode
	add := func(list ...*twinNode) {
		for _, n := range list {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, n := range t.targets {
		recorded, ok := s.is.history[n]
		switch {
		case n.Type != syntax.History:
			add(n)
		case ok:
			add(recorded...)
		default:
			add(s.effective(n.fallback)...)
		}
	}
	return out
}

// domain is 3.9.2. It is nil where the root is inside as well.
func (s *twinStep) domain(t *twinTransition) *twinNode {
	targets := s.effective(t)
	within := !slices.ContainsFunc(targets, func(n *twinNode) bool { return n != t.source && !n.under(t.source) })
	if !t.reenter && within {
		return t.source
	}
	for a := targets[0].parent; a != nil; a = a.parent {
		all := !slices.ContainsFunc(append([]*twinNode{t.source}, targets...), func(n *twinNode) bool { return !n.under(a) })
		if all {
			return a
		}
	}
	if t.reenter {
		return nil
	}
	return s.root
}

// exitSet is 3.9.3.
func (s *twinStep) exitSet(t *twinTransition) map[*twinNode]bool {
	out := map[*twinNode]bool{}
	if len(t.targets) == 0 {
		return out
	}
	domain := s.domain(t)
	for _, n := range s.is.active {
		if n.under(domain) {
			out[n] = true
		}
	}
	return out
}

// twinEntry is an entry set in the making (3.9.4): what is in it, and what of that by default.
type twinEntry struct {
	*twinStep
	set       map[*twinNode]bool
	byDefault map[*twinNode]bool
}

// entrySet works out what transitions enter below their domains (3.9.4).
func (s *twinStep) entrySet(list []*twinTransition, domains []*twinNode) (set, byDefault map[*twinNode]bool) {
	e := &twinEntry{s, map[*twinNode]bool{}, map[*twinNode]bool{}}
	for i, t := range list {
		if len(t.targets) == 0 || s.overtaken[t] {
			continue
		}
		d := domains[i]
		for _, n := range t.targets {
			if n.Type != syntax.History && (n != t.source || d != t.source || t.reenter) {
				e.set[n], e.byDefault[n] = true, true
			}
			e.down(n)
		}
		for _, n := range s.effective(t) {
			e.around(n, d)
		}
	}
	return e.set, e.byDefault
}

// around is 3.9.4.2.
func (e *twinEntry) around(n, d *twinNode) {
	if n != d {
		for a := n.parent; a != nil && a != d; a = a.parent {
			e.set[a] = true
			e.fillParallel(a)
		}
	}
	if d != nil {
		e.fillParallel(d)
	}
}

// down is 3.9.5.
func (e *twinEntry) down(n *twinNode) {
	switch n.Type {
	case syntax.History:
		e.downHistory(n)
	case syntax.Compound:
		c := n.initial.targets[0]
		if c.Type != syntax.History {
			e.set[c], e.byDefault[c] = true, true
		}
		e.down(c)
		e.up(c, n)
	case syntax.Parallel:
		for _, c := range n.regions() {
			if !e.hasBelow(c) {
				e.set[c], e.byDefault[c] = true, true
				e.down(c)
			}
		}
	}
}

func (e *twinEntry) downHistory(h *twinNode) {
	list, recorded := e.is.history[h]
	if !recorded {
		list = h.fallback.targets
		if h.fallback == h.parent.initial {
			e.byDefault[h.parent] = true
		}
	}
	for _, r := range list {
		if r.Type != syntax.History {
			e.set[r] = true
		}
		e.down(r)
	}
	for _, r := range list {
		e.up(r, h.parent)
	}
}

// up is 3.9.6.
func (e *twinEntry) up(n, top *twinNode) {
	if n == top {
		return
	}
	for a := n.parent; a != nil && a != top; a = a.parent {
		e.set[a] = true
		e.fillParallel(a)
	}
}

// fillParallel is 3.9.7, for a parallel node.
func (e *twinEntry) fillParallel(p *twinNode) {
	if p.Type != syntax.Parallel {
		return
	}
	for _, c := range p.regions() {
		if !e.hasBelow(c) {
			e.set[c] = true
			e.down(c)
		}
	}
}

func (e *twinEntry) hasBelow(c *twinNode) bool {
	for n := range e.set {
		if n.under(c) {
			return true
		}
	}
	return false
}

// record is 3.10.1, for one node that is exited. Where nothing was active below the node there is nothing
// to record; see docs/divergences.md about nodes without regions.
func (s *twinStep) record(n *twinNode) {
	for _, h := range n.children {
		if h.Type != syntax.History {
			continue
		}
		var list []*twinNode
		for _, x := range s.before {
			if h.Deep && x.under(n) && len(x.regions()) == 0 || !h.Deep && x.parent == n {
				list = append(list, x)
			}
		}
		if len(list) > 0 {
			s.is.history[h] = list
			s.recorded = true
		}
	}
}
