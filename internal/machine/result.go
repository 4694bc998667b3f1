package machine

import "github.com/detent-run/detent/internal/machine/value"

// Result is what a macrostep leads to.
type Result struct {
	Snapshot Snapshot
	Effects  []Effect // immediate ones as they ran, then deferred ones as they run
	Trace    Trace
	Handled  bool // a transition was selected for the event
	Changed  bool // the configuration, the context, the status, a history value, a timer or a child is not as before
}

// Trace is every microstep of a macrostep.
type Trace struct{ Microsteps []Microstep }

// Microstep is the transitions taken, by their JSON pointers, and the ids of the states left and entered.
type Microstep struct {
	Event       string
	Transitions []string
	Exited      []string
	Entered     []string
	Actions     []string // types of the actions that ran, in order; a name stands for all that it does
}

// FailureKind tells failures apart.
type FailureKind string

// The kinds of failures.
const (
	DataFailure       FailureKind = "data"       // an error given from outside that nothing took
	ExpressionFailure FailureKind = "expression" // an expression could not be evaluated
	EngineFailure     FailureKind = "engine"     // too many microsteps, no such child, ...
)

// Failure is why a macrostep failed.
type Failure struct {
	Kind    FailureKind
	Pointer string // where in the definition, "" when nowhere
	Message string
	Data    value.Value // the error as the snapshot keeps it
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }
