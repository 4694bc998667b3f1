package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// StateValue returns XState's state value of the snapshot: a leaf's key, or an object from the keys
// of the active children to their values. A region without children is {}.
func (d *Definition) StateValue(s Snapshot) value.Value {
	if len(s.active) == 0 {
		return value.OfObject() // no machine's snapshot
	}
	v, _ := d.stateValue(configurationOf(s.active).sorted, 0)
	return v
}

// stateValue returns the value of the active state at a place of the document order, and the place behind
// what is active in it.
func (d *Definition) stateValue(sorted []int32, place int) (value.Value, int) {
	n := &d.nodes[sorted[place]]
	place++
	if leaf := d.activeLeaf(n, sorted[place:]); leaf != nil {
		return value.OfText(leaf.key), place + 1
	}
	var members []value.Member
	for place < len(sorted) && sorted[place] < n.end {
		key := d.nodes[sorted[place]].key
		var v value.Value
		v, place = d.stateValue(sorted, place)
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...), place
}

// appendStateValue appends the text of what stateValue returns, and returns the same place.
func (d *Definition) appendStateValue(dst []byte, sorted []int32, place int) ([]byte, int) {
	n := &d.nodes[sorted[place]]
	place++
	if leaf := d.activeLeaf(n, sorted[place:]); leaf != nil {
		return append(dst, leaf.quotedKey...), place + 1
	}
	dst = append(dst, '{')
	for first := true; place < len(sorted) && sorted[place] < n.end; first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(append(dst, d.nodes[sorted[place]].quotedKey...), ':')
		dst, place = d.appendStateValue(dst, sorted, place)
	}
	return append(dst, '}'), place
}

// activeLeaf returns the active child of a compound state if that is a leaf. The active states behind the
// compound state begin with it.
func (d *Definition) activeLeaf(n *node, behind []int32) *node {
	if n.kind != syntax.Compound || len(behind) == 0 || behind[0] >= n.end {
		return nil
	}
	if child := &d.nodes[behind[0]]; child.isLeaf() {
		return child
	}
	return nil
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
