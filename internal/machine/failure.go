package machine

import (
	"fmt"

	"github.com/detent-run/detent/internal/machine/value"
)

// A failure undoes the macrostep: the snapshot is the one from before it, with status error. What
// ran at once (custom actions, logs) stays done, what was deferred never runs, and all timers are
// cancelled. Actors go on running: XState leaves them so, and only stops them when the failure is
// that nothing took an actor's error.

// expressionFailure is an expression that could not be evaluated.
func expressionFailure(at string, err error) *Failure {
	return newFailure(ExpressionFailure, at, err.Error())
}

// engineFailure is anything else that the definition asks for and that cannot be.
func (m *macrostep) engineFailure(at, format string, args ...any) *Failure {
	return newFailure(EngineFailure, at, fmt.Sprintf(format, args...))
}

func newFailure(kind FailureKind, at, message string) *Failure {
	return &Failure{Kind: kind, Pointer: at, Message: message, Data: value.OfObject(
		value.Member{Key: "kind", Value: value.OfText(string(kind))},
		value.Member{Key: "message", Value: value.OfText(message)},
		value.Member{Key: "pointer", Value: value.OfText(at)},
	)}
}

// unhandledError is an actor's error that nothing took. The snapshot keeps exactly that error.
func unhandledError(e *Event) *Failure {
	return &Failure{
		Kind:    DataFailure,
		Message: "nothing takes " + e.Type + ": " + e.Data.Get("error").String(),
		Data:    present(e.Data.Get("error")),
	}
}

// fail ends a macrostep that failed.
func (m *macrostep) fail(f *Failure, r *Result) error {
	r.Snapshot = m.before
	s := &r.Snapshot
	s.Seq, s.Now, s.hops = m.seq, m.now, m.hops
	s.Status, s.Error = Failed, f.Data
	effects := m.immediate
	if f.Kind == DataFailure {
		effects = append(effects, m.deferred...) // children to stop, and nothing else
		s.Children = m.children
	}
	for _, t := range m.timersBefore() {
		effects = append(effects, CancelTimer{Timer: t})
	}
	s.Timers = nil
	r.Effects, r.Trace.Microsteps = effects, m.trace.steps
	r.Handled, r.Changed = m.handled, true
	return f
}

// present returns v, or null when there is no value: what is stored is never nothing.
func present(v value.Value) value.Value {
	if v.IsAbsent() {
		return value.NullValue
	}
	return v
}
