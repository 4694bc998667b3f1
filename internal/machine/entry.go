package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/syntax"
)

// entered is a state to enter. One that is entered by default runs its initial actions.
type entered struct {
	state     int32
	byDefault bool
}

// entrySet is what a microstep enters, in document order.
type entrySet struct {
	d       *Definition
	history historyValue
	states  []entered

	initials []int32 // states whose initial transition a history state stands for
	dynamic  bool    // a history state had a say
}

// enterStates enters what the kept transitions lead to, outermost and first in the document first.
// A state's entry runs, its timers start, its actors are created, and then its initial actions run;
// a final state completes what it completes at once, in the middle of the entry.
func (m *macrostep) enterStates(ts []*transition) *Failure {
	m.completed = m.completed[:0]
	entry, ids := m.computeEntrySet(ts)
	m.trace.entered(ids)
	for _, x := range entry {
		n := &m.d.nodes[x.state]
		m.next.add(x.state)
		if f := m.enter(n); f != nil {
			return f
		}
		if x.byDefault && n.initial != nil {
			if f := m.perform(n.initial.actions); f != nil {
				return f
			}
		}
		if n.kind == syntax.Final {
			if f := m.complete(n); f != nil {
				return f
			}
		}
	}
	return nil
}

// enter runs the entry of one state.
func (m *macrostep) enter(n *node) *Failure {
	// The numbers of the actors are set aside before the entry actions, which may send to them.
	firstNo := m.nextChild
	m.nextChild += int64(len(n.invokes))
	m.invoking, m.invokingNo = n.invokes, firstNo
	f := m.perform(n.entry)
	m.invoking = nil
	if f != nil {
		return f
	}
	for i := range n.timers {
		if f := m.startAfter(&n.timers[i]); f != nil {
			return f
		}
	}
	for i := range n.invokes {
		v := &n.invokes[i]
		if f := m.startInvoke(v, firstNo+int64(i)); f != nil {
			return f
		}
	}
	return nil
}

// computeEntrySet returns what the transitions enter, and the ids of that. Where history has no say,
// transitions that were kept have separate domains, so that the set of each is what was planned for
// it alone.
func (m *macrostep) computeEntrySet(ts []*transition) ([]entered, []string) {
	if len(ts) == 1 && ts[0].static {
		return ts[0].plan, ts[0].ids
	}
	planned := !slices.ContainsFunc(ts, func(t *transition) bool { return !t.static })
	set := entrySet{d: m.d, history: m.history, states: m.entry[:0]}
	for i, t := range ts {
		switch {
		case planned:
			for _, x := range t.plan {
				set.add(x.state, x.byDefault)
			}
		case !m.overtaken(t, m.exits[i]):
			m.effective = m.d.effectiveTargets(t, m.history, m.effective[:0])
			set.addTransition(t, m.entryDomain(t, m.exits[i].domain), m.effective)
		}
	}
	set.markInitials()
	m.entry = set.states
	start := m.trace.mark()
	for _, x := range set.states {
		m.trace.name(m.d.nodes[x.state].id)
	}
	return set.states, m.trace.since(start)
}

// overtaken reports whether a transition that leaves nothing, because history leads it back to its own
// source, has had that source left by another one. It enters nothing then: the other one says what
// becomes of the place. XState enters the source all the same, without the states around it.
func (m *macrostep) overtaken(t *transition, exit run) bool {
	return exit.lo == exit.hi && len(t.targets) > 0 && t != m.d.initial && !m.next.has(t.source)
}

// entryDomain returns the domain below which a transition enters, now that the history of what was
// left is recorded. XState works the domain out anew from that. Where the new one lies inside the old
// one, though, that breaks its configuration: a transition from inside a parallel state to that state's
// own history, which it has just recorded, would leave the parallel state and not enter it again. So
// the outer of the two counts.
func (m *macrostep) entryDomain(t *transition, before int32) int32 {
	if before == none || len(t.targets) == 0 {
		return before
	}
	if now := m.d.domain(t, m.effective); m.d.isDescendant(before, now) {
		return now
	}
	return before
}

// addTransition adds what one transition enters: SCXML's computeEntrySet for one transition. The
// differences: a target that is the source of a transition which does not reenter is not entered
// itself, and when the domain is a parallel state its other regions are filled up.
func (s *entrySet) addTransition(t *transition, domain int32, effective []int32) {
	for _, target := range t.targets {
		if s.d.nodes[target].kind != syntax.History && (t.source != target || t.source != domain || t.reenter) {
			s.add(target, true)
		}
		s.addDescendantStatesToEnter(target)
	}
	for _, target := range effective {
		s.addAncestorStatesToEnter(target, domain)
		if domain != none && s.d.nodes[domain].kind == syntax.Parallel {
			s.fillRegions(&s.d.nodes[domain])
		}
	}
}

// addDescendantStatesToEnter adds what entering a state brings with it below that state.
func (s *entrySet) addDescendantStatesToEnter(state int32) {
	n := &s.d.nodes[state]
	switch n.kind {
	case syntax.History:
		s.addHistory(n)
	case syntax.Compound:
		child := n.initial.targets[0]
		if s.d.nodes[child].kind != syntax.History {
			s.add(child, true)
		}
		s.addDescendantStatesToEnter(child)
		s.addAncestorStatesToEnter(child, state)
	case syntax.Parallel:
		for _, region := range n.regions {
			if !s.hasDescendantOf(region) {
				s.add(region, true)
				s.addDescendantStatesToEnter(region)
			}
		}
	}
}

// addHistory adds what a history state stands for. What it restores is not entered by default, so
// that a restored compound state does not run its initial actions.
func (s *entrySet) addHistory(n *node) {
	s.dynamic = true
	states, recorded := s.history.of(n.index)
	if !recorded {
		states = n.fallback.targets
		if parent := &s.d.nodes[n.parent]; n.fallback == parent.initial {
			s.initials = append(s.initials, n.parent)
		}
	}
	for _, r := range states {
		if s.d.nodes[r].kind != syntax.History {
			s.add(r, false)
		}
		s.addDescendantStatesToEnter(r)
	}
	for _, r := range states {
		s.addAncestorStatesToEnter(r, n.parent)
	}
}

// addAncestorStatesToEnter adds the proper ancestors of a state below top, from the inside out, and
// fills up the regions of those that are parallel.
func (s *entrySet) addAncestorStatesToEnter(state, top int32) {
	if state == top {
		return
	}
	for a := s.d.nodes[state].parent; a != none && a != top; a = s.d.nodes[a].parent {
		s.add(a, false)
		if n := &s.d.nodes[a]; n.kind == syntax.Parallel {
			s.fillRegions(n)
		}
	}
}

// fillRegions enters the regions in which nothing is entered yet. SCXML enters them by default; in
// XState their initial actions do not run.
func (s *entrySet) fillRegions(n *node) {
	for _, region := range n.regions {
		if !s.hasDescendantOf(region) {
			s.add(region, false)
			s.addDescendantStatesToEnter(region)
		}
	}
}

// markInitials lets the states whose initial transition was taken in place of a history state run
// their initial actions, if they are entered at all.
func (s *entrySet) markInitials() {
	for _, state := range s.initials {
		if i, found := s.find(state); found {
			s.states[i].byDefault = true
		}
	}
}

// hasDescendantOf reports whether a proper descendant of the state is to be entered.
func (s *entrySet) hasDescendantOf(state int32) bool {
	i, _ := s.find(state + 1)
	return i < len(s.states) && s.states[i].state < s.d.nodes[state].end
}

// add adds a state. One that was added by default once stays so.
func (s *entrySet) add(state int32, byDefault bool) {
	i, found := s.find(state)
	if !found {
		s.states = slices.Insert(s.states, i, entered{state: state})
	}
	s.states[i].byDefault = s.states[i].byDefault || byDefault
}

func (s *entrySet) find(state int32) (int, bool) {
	return slices.BinarySearchFunc(s.states, state, func(x entered, y int32) int { return int(x.state - y) })
}
