package machine

import (
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/detent-run/detent/internal/machine/cron"
	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// Definition is a compiled definition: immutable, safe for concurrent use.
//
// States are numbers in document order, and a state's descendants are the numbers right behind its
// own, so that "is a descendant of" is a comparison. Whatever can be worked out once is: candidates
// by event type, domains and entry sets of transitions that do not depend on history, ids, values
// of constant events. Nothing that a step does takes time by the number of states in a definition.
type Definition struct {
	nodes    []node
	byID     map[string]int32
	children map[childKey]int32
	named    map[string]int32 // what expressions give to inState as literals
	events   map[string]int32 // numbers of the event types that some state has a candidate for by name

	timerEvents map[string]value.Value // of the keys of after, by their JSON

	initial     *transition // what the start takes
	sketch      []int32     // what the start leads to, as stateIn sees it meanwhile
	context     value.Value
	contextCode []assignment
	likely      value.Value // what a context probably looks like: its keys, and some texts
	usualSize   int         // of a snapshot's JSON
	actors      map[string]*actor
	options     syntax.Options
	schemas     map[string]*jsonschema.Schema
	closed      bool // setup.events refuses types that it does not list
	warnings    []syntax.Fault

	hasAlways  bool // some state has eventless transitions
	hasHistory bool // some state has a history state
	needsSelf  bool // some expression may read self
	needsView  bool // some expression may call inState or hasTag
}

// none stands where a state is asked for and there is none: above the root, or an unknown event.
const none int32 = -1

// childKey names a child by its parent.
type childKey struct {
	parent int32
	key    string
}

// node is one state.
type node struct {
	index, parent int32
	end           int32 // the first number behind the state's descendants
	kind          syntax.Type
	deep          bool // of a history state
	id, key       string

	quotedID, quotedKey string // as JSON has them

	regions   []int32 // children that are not history states
	histories []int32 // children that are

	exact    []candidates // by number of the event type, ascending
	wild     []wildcard   // longest descriptor first
	always   []*transition
	alwaysAt int32 // the nearest state, itself or above, that has eventless transitions

	initial  *transition // of a compound state
	fallback *transition // of a history state: its default
	entry    []action
	exit     []action
	timers   []afterTimer
	invokes  []invoke

	output    *expression
	doneType  string
	doneEvent value.Value // without output
	tags      []string
	meta      value.Value
}

// isLeaf reports whether the state is one of type atomic or final.
func (n *node) isLeaf() bool { return n.kind == syntax.Atomic || n.kind == syntax.Final }

// candidates is what a state has for one event type, in order.
type candidates struct {
	event int32
	list  []*transition
}

// wildcard is what a state has for a descriptor that ends in a star.
type wildcard struct {
	descriptor string
	prefix     string // what stands before ".*"
	all        bool   // "*"
	list       []*transition
}

// transition is one candidate, or the initial transition of a state, or the default of a history state.
type transition struct {
	at      string
	pointer []string // at, as a trace shows it
	source  int32
	targets []int32 // none: targetless
	guard   guard   // nil: holds
	actions []action
	reenter bool

	// When no history state is among what the transition enters, its domain, its entry set and the
	// ids of that are the same every time, and worked out once.
	static bool
	domain int32 // none: the root is inside
	plan   []entered
	ids    []string

	// after is the configuration that the transition leads to, in the order of activation, and footprint
	// the trace of a microstep of it alone. They are nil unless they are the same every time.
	after     []int32
	footprint *footprint
}

// afterTimer is one key of after.
type afterTimer struct {
	delay *delay
	name  string // of the event, and what cancels it
	event value.Value
}

// invoke is one invoked actor of a state.
type invoke struct {
	at    string
	id    string
	actor *actor
	input *expression
}

// actor is one of setup.actors.
type actor struct {
	src    string
	task   bool        // a task or an HTTP call, not a machine
	fields *expression // of a task or a call
}

// expression is a compiled code position or data position; which of the two does not matter once it is compiled.
type expression struct {
	at       string
	constant value.Value
	program  *expr.Program
	template *expr.Template
}

// assignment gives a context key a value.
type assignment struct {
	key  string
	code *expression
}

// delay says when a timer is due.
type delay struct {
	at       string
	kind     syntax.DelayKind
	micros   int64
	program  *expr.Program
	schedule *cron.Schedule
	skip     bool
}

// isDescendant reports whether state a is a proper descendant of state b. Every state is one of none.
func (d *Definition) isDescendant(a, b int32) bool {
	return b == none || (a > b && a < d.nodes[b].end)
}

// Warnings returns what is suspicious in the definition but not wrong.
func (d *Definition) Warnings() []syntax.Fault { return d.warnings }

// OnError returns what to do with a macrostep that failed: syntax.Suspend, Fail or Rollback.
// Unless the definition says otherwise, a malformed event from outside is put aside, since it must
// not stop a deadline, and anything else waits for an operator.
func (d *Definition) OnError(o Origin) syntax.Policy {
	switch {
	case d.options.OnError != syntax.PolicyDefault:
		return d.options.OnError
	case o == External:
		return syntax.Rollback
	default:
		return syntax.Suspend
	}
}

// Unhandled returns what to do with an event that nothing takes: syntax.Ignore, Defer or DeadLetter.
func (d *Definition) Unhandled() syntax.Policy { return d.options.UnhandledEvents }
