package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// StateValue returns XState's state value of the snapshot: a leaf's key, or an object from the keys
// of the active children to their values. A region without children is {}.
func (d *Definition) StateValue(s Snapshot) value.Value {
	var c configuration
	c.set(s.active)
	return d.stateValue(0, &c)
}

func (d *Definition) stateValue(state int32, c *configuration) value.Value {
	n := &d.nodes[state]
	switch n.kind {
	case syntax.Compound:
		child, ok := d.activeChild(n, c)
		if !ok {
			break
		}
		if d.nodes[child].isLeaf() {
			return value.OfText(d.nodes[child].key)
		}
		return value.OfObject(value.Member{Key: d.nodes[child].key, Value: d.stateValue(child, c)})
	case syntax.Parallel:
		members := make([]value.Member, len(n.regions))
		for i, r := range n.regions {
			members[i] = value.Member{Key: d.nodes[r].key, Value: d.stateValue(r, c)}
		}
		return value.OfObject(members...)
	}
	return value.OfObject()
}

// activeChild returns the active child of a compound state: the first active state behind it.
func (d *Definition) activeChild(n *node, c *configuration) (int32, bool) {
	lo, hi := c.below(d, n.index)
	if lo == hi {
		return none, false
	}
	return c.sorted[lo], true
}

// isObject reports whether the value of an active state is written as an object.
func (d *Definition) isObject(state int32, c *configuration) bool {
	n := &d.nodes[state]
	switch n.kind {
	case syntax.Parallel:
		return true
	case syntax.Compound:
		child, ok := d.activeChild(n, c)
		return ok && !d.nodes[child].isLeaf()
	default:
		return n.parent == none || d.nodes[n.parent].kind == syntax.Parallel
	}
}

// Tags returns the tags of all active states, sorted, each once.
func (d *Definition) Tags(s Snapshot) []string {
	var tags []string
	for _, n := range s.active {
		tags = append(tags, d.nodes[n].tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// Meta returns the meta of the active states that have one, by state id.
func (d *Definition) Meta(s Snapshot) value.Value {
	active := slices.Sorted(slices.Values(s.active))
	var members []value.Member
	for _, n := range active {
		if x := &d.nodes[n]; !x.meta.IsAbsent() {
			members = append(members, value.Member{Key: x.id, Value: x.meta})
		}
	}
	return value.OfObject(members...)
}
