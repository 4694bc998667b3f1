package machine

import (
	"slices"
	"strings"
)

// initType is the type of the event of the start; no state can take it.
const initType = "xstate.init"

// selectTransitions returns the transitions that an event enables, at most one for each region, in
// document order. Conflicts are still among them.
//
// SCXML walks from every atomic state towards the root. XState asks from the root down: a state's
// own candidates count when nothing below it takes the event, so one region that takes it keeps the
// parallel state above from taking it. XState also falls back from an exact descriptor to the
// wildcards of the same state when no guard of the exact one holds.
func (m *macrostep) selectTransitions(e *Event) ([]*transition, *Failure) {
	m.selected = m.selected[:0]
	if e.Type == initType {
		return nil, nil
	}
	number, known := m.d.events[e.Type]
	if !known {
		number = none
	}
	_, f := m.selectIn(0, e.Type, number)
	return m.selected, f
}

// selectIn selects in the subtree of the active state at the given place of the document order, and
// returns the place behind that subtree.
func (m *macrostep) selectIn(place int, event string, number int32) (int, *Failure) {
	active := m.current.sorted
	n := &m.d.nodes[active[place]]
	before := len(m.selected)
	place++
	for place < len(active) && active[place] < n.end {
		var f *Failure
		if place, f = m.selectIn(place, event, number); f != nil {
			return place, f
		}
	}
	if len(m.selected) > before {
		return place, nil
	}
	t, f := m.firstCandidate(n, event, number)
	if t != nil {
		m.selected = append(m.selected, t)
	}
	return place, f
}

// firstCandidate returns the first enabled candidate that the state itself has for an event.
func (m *macrostep) firstCandidate(n *node, event string, number int32) (*transition, *Failure) {
	if number != none {
		for i := range n.exact {
			if n.exact[i].event == number {
				if t, f := m.firstEnabled(n.exact[i].list); t != nil || f != nil {
					return t, f
				}
				break
			}
		}
	}
	for i := range n.wild {
		if w := &n.wild[i]; w.matches(event) {
			if t, f := m.firstEnabled(w.list); t != nil || f != nil {
				return t, f
			}
		}
	}
	return nil, nil
}

// firstEnabled returns the first transition whose guard holds. A guard that cannot be evaluated
// fails the machine, and no further candidate is tried.
func (m *macrostep) firstEnabled(list []*transition) (*transition, *Failure) {
	for _, t := range list {
		if t.guard == nil {
			return t, nil
		}
		ok, f := t.guard.holds(m)
		if f != nil {
			return nil, f
		}
		if ok {
			return t, nil
		}
	}
	return nil, nil
}

// newWildcard reads an event descriptor and reports whether it is a wildcard. A star anywhere but
// at the end makes none: such a descriptor matches the event of exactly that name.
func newWildcard(descriptor string) (wildcard, bool) {
	if descriptor == "*" {
		return wildcard{descriptor: descriptor, all: true}, true
	}
	prefix, ok := strings.CutSuffix(descriptor, ".*")
	return wildcard{descriptor: descriptor, prefix: prefix}, ok && !strings.Contains(prefix, "*")
}

// matches reports whether the descriptor takes the event, token by token: "a.*" takes "a" and
// "a.b", not "ab". An event that bears the descriptor's very name was offered to it as exact.
func (w *wildcard) matches(event string) bool {
	if event == w.descriptor {
		return false
	}
	if w.all {
		return true
	}
	return strings.HasPrefix(event, w.prefix) &&
		(len(event) == len(w.prefix) || event[len(w.prefix)] == '.')
}

// selectEventlessTransitions returns the eventless transitions that are enabled: for every active
// leaf the first one on the way up to the root.
//
// SCXML goes through the atomic states in document order. XState goes through them in the order in
// which they became active, and that decides which of two conflicting transitions wins.
func (m *macrostep) selectEventlessTransitions() ([]*transition, *Failure) {
	m.selected = m.selected[:0]
	if !m.d.hasAlways {
		return nil, nil
	}
	for _, leaf := range m.current.order {
		if !m.d.nodes[leaf].isLeaf() {
			continue
		}
		t, f := m.firstEventless(leaf)
		if f != nil {
			return nil, f
		}
		if t != nil && !slices.Contains(m.selected, t) {
			m.selected = append(m.selected, t)
		}
	}
	return m.selected, nil
}

// firstEventless returns the first enabled eventless transition of a state or of its ancestors.
func (m *macrostep) firstEventless(n int32) (*transition, *Failure) {
	for n != none {
		n = m.d.nodes[n].alwaysAt
		if n == none {
			break
		}
		if t, f := m.firstEnabled(m.d.nodes[n].always); t != nil || f != nil {
			return t, f
		}
		n = m.d.nodes[n].parent
	}
	return nil, nil
}
