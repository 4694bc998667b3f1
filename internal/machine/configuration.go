package machine

import "slices"

// configuration is a set of active states, kept twice: in the order in which they became active,
// which decides the order of eventless transitions (XState iterates a JavaScript Set there), and in
// document order, in which the descendants of a state are one run.
//
// Small sets are what machines have; sorted slices beat bitsets there, and unlike bitsets they do
// not grow with the definition.
type configuration struct {
	order  []int32 // by activation
	sorted []int32 // by document order
}

// configurationOf returns the configuration of states that are active in the given order. It may share
// them, and is there to be read only.
func configurationOf(order []int32) configuration {
	sorted := order
	if !slices.IsSorted(order) {
		sorted = slices.Sorted(slices.Values(order))
	}
	return configuration{order: order, sorted: sorted}
}

// has reports whether the state is active.
func (c *configuration) has(n int32) bool {
	_, ok := slices.BinarySearch(c.sorted, n)
	return ok
}

// add makes a state active; one that is active already keeps its place.
func (c *configuration) add(n int32) {
	i, ok := slices.BinarySearch(c.sorted, n)
	if ok {
		return
	}
	c.sorted = slices.Insert(c.sorted, i, n)
	c.order = append(c.order, n)
}

// set makes c a copy of the states in the given order of activation.
func (c *configuration) set(order []int32) {
	c.order = append(c.order[:0], order...)
	c.sorted = append(c.sorted[:0], order...)
	if !slices.IsSorted(c.sorted) {
		slices.Sort(c.sorted)
	}
}

// setWithout makes c what is left of another configuration when the runs of its sorted states are
// taken out. The runs do not overlap; the last comes first.
func (c *configuration) setWithout(from *configuration, runs []run) {
	c.sorted = c.sorted[:0]
	at := 0
	for _, r := range slices.Backward(runs) {
		c.sorted = append(c.sorted, from.sorted[at:r.lo]...)
		at = r.hi
	}
	c.sorted = append(c.sorted, from.sorted[at:]...)
	c.order = c.order[:0]
	if len(c.sorted) == 0 {
		return
	}
	for _, n := range from.order {
		if c.has(n) {
			c.order = append(c.order, n)
		}
	}
}

// below returns the run of active descendants of a state, the whole configuration for none.
func (c *configuration) below(d *Definition, n int32) (lo, hi int) {
	if n == none {
		return 0, len(c.sorted)
	}
	lo, _ = slices.BinarySearch(c.sorted, n+1)
	hi, _ = slices.BinarySearch(c.sorted, d.nodes[n].end)
	return lo, hi
}

// leaves appends the active states below a state that have nothing below themselves, in order of
// activation. XState leaves out a parallel state without regions, and so cannot come back to it.
func (c *configuration) leaves(d *Definition, n int32, to []int32) []int32 {
	for _, x := range c.order {
		if d.isDescendant(x, n) && len(d.nodes[x].regions) == 0 {
			to = append(to, x)
		}
	}
	return to
}

// activeChildren appends the active children of a state, in order of activation.
func (c *configuration) activeChildren(d *Definition, n int32, to []int32) []int32 {
	for _, x := range c.order {
		if d.nodes[x].parent == n {
			to = append(to, x)
		}
	}
	return to
}
