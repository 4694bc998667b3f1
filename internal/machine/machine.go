package machine

import (
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// Definition is a compiled definition: immutable, safe for concurrent use.
type Definition struct{ _ int }

// Compile compiles a document. The error is syntax.Faults: all faults at once.
func Compile(doc *syntax.Document) (*Definition, error) { panic("to be written") }

// Warnings returns what is suspicious in the definition but not wrong.
func (d *Definition) Warnings() []syntax.Fault { panic("to be written") }

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
	Actions     []string // types of the actions that ran, in order
}

// FailureKind tells failures apart.
type FailureKind string

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

func (f *Failure) Error() string { return f.Message }

// Start makes a machine: its first macrostep. When it fails, the error is a *Failure and the Result
// is what XState makes of it (status error); the shell chooses by OnError whether that counts.
func (d *Definition) Start(self *Identity, input value.Value, at Moment) (Result, error) {
	panic("to be written")
}

// Step handles one event. It is pure: the same arguments give the same bytes. About failures see Start.
// A snapshot that is not Active takes nothing in: Handled is false.
func (d *Definition) Step(s Snapshot, ev Event, at Moment) (Result, error) { panic("to be written") }

// OnError returns what to do with a macrostep that failed: syntax.Suspend, Fail or Rollback.
func (d *Definition) OnError(o Origin) syntax.Policy { panic("to be written") }

// Unhandled returns what to do with an event that nothing takes: syntax.Ignore, Defer or DeadLetter.
func (d *Definition) Unhandled() syntax.Policy { panic("to be written") }

// StateValue returns XState's state value of the snapshot.
func (d *Definition) StateValue(s Snapshot) value.Value { panic("to be written") }

// Tags returns the tags of all active states, sorted, each once.
func (d *Definition) Tags(s Snapshot) []string { panic("to be written") }

// Meta returns the meta of the active states that have one, by state id.
func (d *Definition) Meta(s Snapshot) value.Value { panic("to be written") }

// CheckEvent holds an event from outside to setup.events. The error is syntax.Faults.
func (d *Definition) CheckEvent(event value.Value) error { panic("to be written") }

// AppendSnapshot appends the snapshot's JSON: XState's persisted shape and what a durable engine needs beside it.
func (d *Definition) AppendSnapshot(dst []byte, s Snapshot) []byte { panic("to be written") }

// DecodeSnapshot reads what AppendSnapshot wrote, and refuses what is not legal in this definition.
func (d *Definition) DecodeSnapshot(self *Identity, text []byte) (Snapshot, error) {
	panic("to be written")
}
