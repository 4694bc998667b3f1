package machine

import "slices"

// exitStates leaves the exit sets of the kept transitions, innermost and last in the document
// first, and makes m.next what remains. History is recorded for all of them before any is left.
func (m *macrostep) exitStates() *Failure {
	runs := m.runs[:0]
	for _, r := range m.exits {
		if r.lo < r.hi {
			runs = append(runs, r)
		}
	}
	m.runs = runs
	if len(runs) > 1 {
		slices.SortFunc(runs, func(a, b run) int { return b.lo - a.lo })
	}
	m.next.setWithout(&m.current, runs)
	start := m.trace.mark()
	for _, r := range runs {
		for i := r.hi - 1; i >= r.lo; i-- {
			n := &m.d.nodes[m.current.sorted[i]]
			m.trace.name(n.id)
			m.recordHistory(n)
		}
	}
	m.trace.exited(m.trace.since(start))
	for _, r := range runs {
		for i := r.hi - 1; i >= r.lo; i-- {
			if f := m.exit(&m.d.nodes[m.current.sorted[i]]); f != nil {
				return f
			}
		}
	}
	return nil
}

// exit runs the exit of one state, and takes its timers and its actors away.
func (m *macrostep) exit(n *node) *Failure {
	if f := m.runExit(n); f != nil {
		return f
	}
	for i := range n.invokes {
		m.stopChild(n.invokes[i].id)
	}
	return nil
}

// runExit runs the exit actions of a state and cancels its timers.
func (m *macrostep) runExit(n *node) *Failure {
	if f := m.perform(n.exit); f != nil {
		return f
	}
	for i := range n.timers {
		m.cancelTimer(n.timers[i].name)
	}
	return nil
}

// exitAll runs the exit of everything that is active: the machine is done. Nothing is taken out of
// the configuration, which stays what the machine ended in.
func (m *macrostep) exitAll() *Failure {
	for _, n := range slices.Backward(m.next.sorted) {
		if f := m.runExit(&m.d.nodes[n]); f != nil {
			return f
		}
	}
	return nil
}
