package machine

// run is the exit set of one transition: a run of the configuration in document order. It can be
// one because what a transition leaves is always all that is active below its domain.
type run struct {
	lo, hi int   // empty for a targetless transition
	domain int32 // none when the root is inside
}

// meets reports whether two exit sets have a state in common.
func (r run) meets(s run) bool { return r.lo < s.hi && s.lo < r.hi && r.lo < r.hi && s.lo < s.hi }

// removeConflictingTransitions keeps, of transitions that would leave the same state, the one with
// the deeper source, otherwise the earlier one, and returns the kept ones with their exit sets in
// m.exits.
//
// This is SCXML's procedure. XState differs in the order that comes in: see
// selectEventlessTransitions.
func (m *macrostep) removeConflictingTransitions(ts []*transition) []*transition {
	kept := ts[:0]
	m.exits = m.exits[:0]
	reach := 0 // where the last of the kept exit sets ends: what begins behind it meets none
	for _, t := range ts {
		exit := m.computeExitSet(t)
		if exit.lo < reach && exit.lo < exit.hi {
			var dropped bool
			if kept, dropped = m.preempt(kept, t, exit); dropped {
				continue
			}
		}
		kept = append(kept, t)
		m.exits = append(m.exits, exit)
		if exit.lo < exit.hi {
			reach = max(reach, exit.hi)
		}
	}
	return kept
}

// preempt compares a transition with those kept so far. It takes out the ones that the transition
// preempts, or reports that the transition is itself preempted by one of them.
func (m *macrostep) preempt(kept []*transition, t *transition, exit run) (rest []*transition, dropped bool) {
	for i, k := range kept {
		if exit.meets(m.exits[i]) && !m.d.isDescendant(t.source, k.source) {
			return kept, true
		}
	}
	rest, exits := kept[:0], m.exits[:0]
	for i, k := range kept {
		if !exit.meets(m.exits[i]) {
			rest, exits = append(rest, k), append(exits, m.exits[i])
		}
	}
	m.exits = exits
	return rest, false
}

// computeExitSet returns what a transition leaves: all that is active below its domain.
func (m *macrostep) computeExitSet(t *transition) run {
	if len(t.targets) == 0 {
		return run{domain: t.source}
	}
	domain := m.transitionDomain(t)
	lo, hi := m.current.below(m.d, domain)
	return run{lo: lo, hi: hi, domain: domain}
}

// transitionDomain returns the state below which everything that the transition leaves lies. About
// what it enters see entryDomain.
func (m *macrostep) transitionDomain(t *transition) int32 {
	if t.static {
		return t.domain
	}
	m.effective = m.d.effectiveTargets(t, m.history, m.effective[:0])
	return m.d.domain(t, m.effective)
}

// domain is SCXML's getTransitionDomain. There the least common ancestor is a compound state; in
// XState it may be a parallel one, so that a transition from one region to another leaves the
// regions and not the parallel state. Reentering is SCXML's type "external", and the default is
// "internal", also for sources that are not compound.
func (d *Definition) domain(t *transition, effective []int32) int32 {
	if !t.reenter && d.allWithin(t.source, effective) {
		return t.source
	}
	for a := d.nodes[effective[0]].parent; a != none; a = d.nodes[a].parent {
		if d.isDescendant(t.source, a) && d.allBelow(a, effective) {
			return a
		}
	}
	if t.reenter {
		return none
	}
	return 0
}

// allWithin reports whether every state is the given one or a descendant of it.
func (d *Definition) allWithin(n int32, states []int32) bool {
	for _, s := range states {
		if s != n && !d.isDescendant(s, n) {
			return false
		}
	}
	return true
}

// allBelow reports whether every state is a descendant of the given one.
func (d *Definition) allBelow(n int32, states []int32) bool {
	for _, s := range states {
		if !d.isDescendant(s, n) {
			return false
		}
	}
	return true
}
