package machine

import (
	"slices"
)

// microstep takes transitions: SCXML's microstep, that is exitStates, the transitions' actions,
// enterStates. It reports in m.changed whether the machine is another one afterwards, as XState
// counts it: a different set of active states, a history record, or any action that makes XState
// copy its snapshot (assign, spawnChild, stopChild, the start or stop of an invoked actor),
// whatever its result.
//
// stateIn, inState and hasTag see m.current, the configuration from before the microstep, until it
// is over.
func (m *macrostep) microstep(ts []*transition) *Failure {
	if len(ts) == 0 {
		return nil
	}
	m.changed, m.recorded = false, false
	kept := m.removeConflictingTransitions(ts)
	m.trace.begin(m.event.Type, kept, &m.album)
	f := m.take(kept)
	m.trace.end(f != nil)
	if f != nil {
		return f
	}
	if m.status == Done {
		m.changed = true
	}
	return nil
}

// take exits, acts and enters.
func (m *macrostep) take(kept []*transition) *Failure {
	if !moves(kept) {
		return m.performTransitions(kept)
	}
	if f := m.exitStates(); f != nil {
		return f
	}
	if f := m.performTransitions(kept); f != nil {
		return f
	}
	if f := m.enterStates(kept); f != nil {
		return f
	}
	if m.status == Done {
		if f := m.exitAll(); f != nil {
			return f
		}
	}
	m.adopt(kept)
	return nil
}

// moves reports whether a transition has a target.
func moves(ts []*transition) bool {
	for _, t := range ts {
		if len(t.targets) > 0 {
			return true
		}
	}
	return false
}

// performTransitions runs the transitions' actions, in the order in which they were selected.
func (m *macrostep) performTransitions(ts []*transition) *Failure {
	for _, t := range ts {
		if f := m.perform(t.actions); f != nil {
			return f
		}
	}
	return nil
}

// adopt makes the configuration that was entered the current one. XState keeps the old order of
// activation when the set is the same as before and no history was recorded: its snapshot is
// not replaced then.
func (m *macrostep) adopt(kept []*transition) {
	if !m.recorded && slices.Equal(m.current.sorted, m.next.sorted) {
		return
	}
	m.current, m.next = m.next, m.current
	m.changed, m.moved = true, true
	m.known = nil
	if len(kept) == 1 {
		m.known = kept[0].after
	}
}
