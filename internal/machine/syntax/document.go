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

// Type is a state's type: the one given; otherwise compound when there are states in it, history when
// "history" is given, and atomic when neither is.
type Type uint8

// The types.
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
