package machine

import "slices"

// historyValue is what the history states have recorded, ascending by state. It is shared between
// snapshots and replaced as a whole.
type historyValue []record

// record is what one history state has recorded: leaves when it is deep, otherwise children of its
// parent, in the order in which they had become active.
type record struct {
	state  int32
	states []int32
}

func (h historyValue) find(state int32) (int, bool) {
	return slices.BinarySearchFunc(h, state, func(r record, s int32) int { return int(r.state - s) })
}

// of returns what a history state has recorded.
func (h historyValue) of(state int32) ([]int32, bool) {
	if i, found := h.find(state); found {
		return h[i].states, true
	}
	return nil, false
}

// with returns h with one record made anew.
func (h historyValue) with(r record) historyValue {
	i, found := h.find(r.state)
	next := slices.Clone(h)
	if found {
		next[i] = r
		return next
	}
	return slices.Insert(next, i, r)
}

// recordHistory lets the history states of a state that is exited record the configuration as it
// was before the microstep. A parallel state without regions has nothing to record; XState records that
// nothing, and a transition to it then enters nothing at all.
func (m *macrostep) recordHistory(n *node) {
	for _, h := range n.histories {
		var states []int32
		if m.d.nodes[h].deep {
			states = m.current.leaves(m.d, n.index, nil)
		} else {
			states = m.current.activeChildren(m.d, n.index, nil)
		}
		if len(states) == 0 {
			continue
		}
		m.history = m.history.with(record{state: h, states: states})
		m.recorded = true
	}
}

// effectiveTargets appends the targets of a transition with each history state replaced by what it
// has recorded, or else by the effective targets of its default.
func (d *Definition) effectiveTargets(t *transition, h historyValue, to []int32) []int32 {
	for _, target := range t.targets {
		n := &d.nodes[target]
		switch states, recorded := h.of(target); {
		case n.fallback == nil:
			to = appendOnce(to, target)
		case recorded:
			to = appendOnce(to, states...)
		default:
			to = d.effectiveTargets(n.fallback, h, to)
		}
	}
	return to
}

// appendOnce appends the states that are not in the list yet.
func appendOnce(to []int32, states ...int32) []int32 {
	for _, s := range states {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}
