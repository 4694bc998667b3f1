// Package syntax reads a definition document strictly: every key is known, every value has its
// type, and everything keeps the JSON pointer of its place, so that later faults can name it.
//
// It decides what can be told from the document alone. Whether a target, a guard or an actor that a
// name refers to exists, and whether an expression parses, is decided by package machine.
package syntax

import "github.com/detent-run/detent/internal/machine/value"

// Document is a definition as written.
type Document struct {
	Source  value.Value // the whole document as JSON
	Machine *State
	Setup   Setup
	Options Options
}

// State is one state node. Keys of States, On and After are in JavaScript's key order.
type State struct {
	At      string // JSON pointer
	Key     string // "" for the root
	ID      string // as given, "" when not
	Type    Type
	Deep    bool        // of a history state
	Initial *Transition // one target, the key as written; nil when not given
	Target  *Transition // default of a history state; nil when not given
	States  []*State
	On      []Handler
	After   []Handler // the key as JavaScript writes it: "1e3" is "1000"
	Always  []*Transition
	OnDone  []*Transition // nil when not given, which differs from empty
	Entry   []*Action
	Exit    []*Action
	Invoke  []*Invoke
	Tags    []string
	Meta    value.Value
	Output  value.Value // a data position; Absent when not given
	Context value.Value // of the root: as written, holds no templates; Absent when not given
}

// Type is a state's type, worked out as in section 5.1.2 of the conformance text.
type Type uint8

const (
	Atomic Type = iota
	Compound
	Parallel
	Final
	History
)

// Handler is the candidates of one key of on or after.
type Handler struct {
	At          string
	Key         string
	Transitions []*Transition // empty for []; one without target and actions for null and {}
}

// Transition is one candidate. Without Targets it is targetless.
type Transition struct {
	At          string
	Targets     []string // as written
	Guard       *Guard   // nil when not given
	Actions     []*Action
	Reenter     bool
	Description string
	Meta        value.Value
}

// GuardKind tells the forms of a guard apart.
type GuardKind uint8

const (
	GuardNamed   GuardKind = iota // Name, Params
	GuardExpr                     // Expr
	GuardAnd                      // Of
	GuardOr                       // Of
	GuardNot                      // Of[0]
	GuardStateIn                  // State: text or an object
)

// Guard is one guard in any of its spellings.
type Guard struct {
	At     string
	Kind   GuardKind
	Name   string
	Params value.Value // data position; Absent when not given
	Expr   string
	Of     []*Guard
	State  value.Value
}

// ActionKind tells the built-in actions apart.
type ActionKind uint8

const (
	ActNamed ActionKind = iota
	ActAssign
	ActRaise
	ActSendTo
	ActSendParent
	ActForwardTo
	ActCancel
	ActEmit
	ActLog
	ActSpawnChild
	ActStopChild
	ActChoose
	ActTask
)

// Action is one action; Kind says which fields it uses. Fields that are data positions are Absent when not given.
type Action struct {
	At      string
	Kind    ActionKind
	Name    string       // named
	Params  value.Value  // named
	Assign  []Assignment // assign
	Event   value.Value  // raise, sendTo, sendParent, emit
	To      value.Value  // sendTo, forwardTo: text, a data position
	Machine value.Value  // sendTo: text, a data position
	ID      value.Value  // raise, sendTo, spawnChild: id; cancel, stopChild: whom. A data position
	Delay   value.Value  // raise, sendTo: integer milliseconds, or a name, or a duration literal
	Message value.Value  // log
	Src     string       // spawnChild
	Input   value.Value  // spawnChild
	Choose  []Branch     // choose
	Task    *Task        // task
}

// Assignment gives a context key a code position.
type Assignment struct {
	At   string
	Key  string
	Code value.Value // text is an expression; number, boolean, null a literal; array, object a data position
}

// Branch is one branch of choose; Guard is nil for the last, unconditional one.
type Branch struct {
	At      string
	Guard   *Guard
	Actions []*Action
}

// Invoke is one invoked actor of a state.
type Invoke struct {
	At      string
	ID      string // as given, "" when not
	Src     string
	Input   value.Value
	OnDone  []*Transition // nil when not given
	OnError []*Transition // nil when not given
}

// Setup is what the names of the machine mean, each list in the document's order.
type Setup struct {
	Guards  []NamedGuard
	Actions []NamedActions
	Delays  []NamedDelay
	Actors  []NamedActor
	Context []Assignment // expressions see input, and machine.context as context
	Events  []NamedSchema
	// ClosedEvents: "*": false in events.
	ClosedEvents bool
}

type NamedGuard struct {
	Key   string
	Guard *Guard
}

type NamedActions struct {
	At      string
	Key     string
	Actions []*Action
}

// NamedDelay is one of the forms of a delay.
type NamedDelay struct {
	Key   string
	Delay Delay
}

// DelayKind tells the forms of a delay apart.
type DelayKind uint8

const (
	DelayMillis   DelayKind = iota // Micros
	DelayDuration                  // Micros
	DelayExpr                      // Expr gives milliseconds
	DelayAt                        // Expr gives an instant
	DelayCron                      // Cron, Zone
)

// Delay says when a timer is due.
type Delay struct {
	At     string
	Kind   DelayKind
	Micros int64
	Expr   string
	Cron   string
	Zone   string
	Skip   bool // catchUp: skip
}

type NamedActor struct {
	At      string
	Key     string
	Machine string // a child machine's definition; "" for the others
	Version int    // of Machine; 0 is the latest
	Task    *Task
	HTTP    *Call
}

// Task is work for an outside worker.
type Task struct {
	At                        string
	Queue                     string
	Fields                    value.Value // the whole object as written: data positions in it
	Timeout, HeartbeatTimeout int64       // microseconds, 0 when not given
	Retry                     *Retry
}

// Call is an HTTP call that the service makes.
type Call struct {
	At      string
	Fields  value.Value // the whole object as written: data positions in it
	Timeout int64       // microseconds, 0 when not given
	Retry   *Retry
}

// Retry is a retry policy; zero fields were not given. Intervals are microseconds.
type Retry struct {
	MaxAttempts                  int
	InitialInterval, MaxInterval int64
	Backoff                      float64
	NonRetryable                 []string
}

type NamedSchema struct {
	At     string
	Type   string
	Schema value.Value
}

// Policy is what happens to a macrostep that fails, or to an event that nothing takes.
type Policy uint8

const (
	PolicyDefault Policy = iota
	Suspend
	Fail
	Rollback
	Ignore
	Defer
	DeadLetter
)

// Options is how the service runs the machine.
type Options struct {
	UnhandledEvents Policy // Ignore, Defer, DeadLetter; never PolicyDefault
	OnError         Policy // PolicyDefault: by origin
	MaxMicrosteps   int
	TraceUnknown    bool  // unknownActions: trace
	Retention       int64 // microseconds; 0 is for ever
}
