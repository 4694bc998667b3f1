package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// The codes of faults and warnings that Compile finds. Those of the document's form are package syntax's.
const (
	CodeUnknownTarget     = "unknown_target"
	CodeUnknownState      = "unknown_state" // of stateIn or inState
	CodeUnknownGuard      = "unknown_guard"
	CodeUnknownAction     = "unknown_action"
	CodeUnknownDelay      = "unknown_delay"
	CodeUnknownActor      = "unknown_actor"
	CodeDuplicateID       = "duplicate_id"
	CodeConflictingTarget = "conflicting_targets"
	CodeTooManyTargets    = "too_many_targets"
	CodeEndless           = "endless" // a name, an initial or a history default that leads back to itself
	CodeBadExpression     = "bad_expression"
	CodeBadSchedule       = "bad_schedule"
	CodeBadSchema         = "bad_schema"

	CodeUnreachable  = "unreachable"   // a state that nothing enters
	CodeNoCandidates = "no_candidates" // []
	CodeShadowed     = "shadowed"      // a candidate behind one that is always taken
	CodeDeadEnd      = "dead_end"      // a state that is not final and can never be left
	CodeUntaken      = "untaken"       // a raised event that nothing takes
	CodeNoEffect     = "no_effect"     // a setting that means nothing where it stands
)

// Compile compiles a document. The error is syntax.Faults: all faults at once.
//
// It goes in passes, each of which needs the one before: first the tree with its ids, so that
// targets can be resolved; then what the names in setup mean; then the behaviour of every state; and
// at last, when there is no fault, what can be worked out ahead of time. A fault does not stop a pass,
// so that all of them are told.
func Compile(doc *syntax.Document) (*Definition, error) {
	c := &compiler{
		doc: doc,
		d: &Definition{
			byID:     map[string]int32{},
			children: map[childKey]int32{},
			events:   map[string]int32{},
			named:    map[string]int32{},

			timerEvents: map[string]value.Value{},
			actors:      map[string]*actor{},
			options:     doc.Options,
		},
		guards:      map[string]*guardBody{},
		guardStages: map[string]stage{},
		actions:     map[string]*actionBody{},
		stages:      map[string]stage{},
		delays:      map[string]*delay{},
		memo:        map[string]*delay{},
	}
	c.compileTree()
	c.compileSetup()
	for i := range c.d.nodes {
		c.compileState(int32(i))
	}
	c.checkInvokeIDs()
	c.checkDefaults()
	if len(c.faults) == 0 {
		c.plan()
	}
	if len(c.faults) > 0 {
		slices.SortStableFunc(c.faults, func(a, b syntax.Fault) int { return cmp.Compare(a.Pointer, b.Pointer) })
		return nil, slices.Compact(c.faults)
	}
	c.warn()
	c.d.warnings = c.warnings
	c.d.usualSize = len(c.d.AppendSnapshot(nil, Snapshot{Context: c.d.likely, active: c.d.initial.after})) + spareSize
	return c.d, nil
}

// spareSize is how much larger than at its start a snapshot's JSON usually is.
const spareSize = 128

// compiler is a definition in the making.
type compiler struct {
	doc      *syntax.Document
	d        *Definition
	states   []*syntax.State // by number
	faults   syntax.Faults
	warnings []syntax.Fault

	guards      map[string]*guardBody
	guardStages map[string]stage
	actions     map[string]*actionBody
	stages      map[string]stage // of actions
	delays      map[string]*delay
	memo        map[string]*delay // delays that are written where they are used

	raised  []raised // constant events that are raised
	types   []string // event types by number, "" for a wildcard, which takes events of many types
	exits   bool     // some state has exit actions
	planned int      // states in all plans

	exitsOf  []exit
	compared int // names, in search of the nearest
	paired   int // targets, to see whether they can be active together
}

// raised is an event type that is raised, with its place.
type raised struct{ at, event string }

// stage is how far a name of setup has come: one that is needed while it is under way leads to itself.
type stage uint8

const (
	untouched stage = iota
	underWay
	finished
)

// maxFaults is how many faults, and how many warnings, are told at once, and maxCompared how many names
// are compared in search of the nearest known one: a document that is wrong everywhere must not take long
// to refuse, nor one that is odd everywhere be answered with a text many times its size.
const (
	maxFaults   = 500
	maxCompared = 50_000
)

func (c *compiler) fault(at, code, format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, syntax.Fault{Pointer: at, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

func (c *compiler) warnf(at, code, format string, args ...any) {
	if len(c.warnings) < maxFaults {
		c.warnings = append(c.warnings, syntax.Fault{Pointer: at, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// nearest returns the one of so many known names that is nearest to the name, if any is, and if not too
// many have been compared already.
func (c *compiler) nearest(name string, n int, known func(i int) string) string {
	if c.compared+n > maxCompared {
		return ""
	}
	c.compared += n
	names := make([]string, n)
	for i := range names {
		names[i] = known(i)
	}
	return syntax.Nearest(name, names)
}

// unknown reports a name that is not among so many known ones, with the nearest of these.
func (c *compiler) unknown(at, code, what, name string, n int, known func(i int) string) {
	hint := ""
	if near := c.nearest(name, n, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	c.fault(at, code, "%s %q%s", what, name, hint)
}

// child returns the pointer to a member.
func child(at, key string) string { return at + "/" + value.EscapePointer(key) }

// textsOf reports whether the document has the word in any of its texts.
func textsOf(v value.Value, word string) bool {
	switch v.Kind() {
	case value.Text:
		return strings.Contains(v.Text(), word)
	case value.Array:
		return slices.ContainsFunc(v.Elems(), func(e value.Value) bool { return textsOf(e, word) })
	case value.Object:
		for i := range v.Len() {
			if _, x := v.Member(i); textsOf(x, word) {
				return true
			}
		}
	}
	return false
}
