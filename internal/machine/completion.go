package machine

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// complete does what the entry of a final state brings about: the done event of its parent, the
// done events of parallel states above that have all their regions complete, and the end of the
// machine. The done events are put on the internal queue behind what was raised before.
//
// SCXML raises the done event of a parallel state for the grandparent of the final state only.
// XState goes up as long as parallel states complete one another.
func (m *macrostep) complete(final *node) *Failure {
	parent := m.node(final.parent)
	above := parent
	if parent != nil && parent.kind == syntax.Compound {
		output, f := m.eval(final.output)
		if f != nil {
			return f
		}
		m.raise(parent.doneType, parent.done(output))
		above = m.node(parent.parent)
	}
	last := above
	if above == nil {
		last = final
	}
	for above != nil && above.kind == syntax.Parallel && !slices.Contains(m.completed, above.index) && m.isInFinalState(above) {
		m.completed = append(m.completed, above.index)
		m.raise(above.doneType, above.doneEvent)
		last, above = above, m.node(above.parent)
	}
	if above != nil {
		return nil
	}
	return m.finishWith(last)
}

// finishWith ends the machine. Its output is what the root's output says; it sees the done event of
// the state that completed the root.
func (m *macrostep) finishWith(last *node) *Failure {
	m.status = Done
	root := &m.d.nodes[0]
	if root.output == nil {
		return nil
	}
	var output value.Value
	if last.kind == syntax.Final && last.parent != none {
		var f *Failure
		if output, f = m.eval(last.output); f != nil {
			return f
		}
	}
	outer := m.scope.Event
	m.scope.Event = last.done(output)
	output, f := m.eval(root.output)
	m.scope.Event = outer
	m.output = output
	return f
}

// isInFinalState reports whether a state is complete, looking at what has been entered so far.
func (m *macrostep) isInFinalState(n *node) bool {
	switch n.kind {
	case syntax.Final:
		return true
	case syntax.Compound:
		for _, c := range n.regions {
			if m.d.nodes[c].kind == syntax.Final && m.next.has(c) {
				return true
			}
		}
		return false
	case syntax.Parallel:
		for _, c := range n.regions {
			if !m.isInFinalState(&m.d.nodes[c]) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// done returns the event that tells of the state's completion.
func (n *node) done(output value.Value) value.Value {
	if output.IsAbsent() {
		return n.doneEvent
	}
	return n.doneEvent.With("output", output)
}

// node returns a state, nil for none.
func (m *macrostep) node(n int32) *node {
	if n == none {
		return nil
	}
	return &m.d.nodes[n]
}
