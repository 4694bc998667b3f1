// Package expr evaluates the expressions and templates of definitions.
package expr

import "github.com/detent-run/detent/internal/machine/value"

// Names is a set of the variables and functions that an expression may name at its place.
type Names uint16

// The names. Self, Now, InState and HasTag are known everywhere that a macrostep is.
const (
	Context Names = 1 << iota
	Event
	Params
	Input
	Now
	Self
	InState
	HasTag

	// Everywhere is what every expression of a running machine sees.
	Everywhere = Context | Event | Now | Self | InState | HasTag
)

// Scope is what an evaluation sees. It is filled by the caller and reused from one evaluation to the next.
type Scope struct {
	Context, Event, Params, Input, Self value.Value
	Now                                 int64 // epoch milliseconds

	InState func(id string) (bool, error) // an unknown id is an error
	HasTag  func(tag string) bool
	Budget  *Budget
}

// Budget bounds the work of all evaluations of one macrostep.
type Budget struct{ Ticks int }

// MaxTicks is how often the predicates of collection functions may run in one macrostep.
const MaxTicks = 100_000

// Program is a compiled expression. It is immutable and safe for concurrent use.
type Program struct{}

// Compile compiles an expression that may use the given names. The error is a *CompileError.
func Compile(source string, names Names) (*Program, error) { panic("expr: to be written") }

// CompileError says where in the expression the fault is, what was expected, and what to do.
type CompileError struct {
	Source  string
	Offset  int    // bytes
	Message string // one line, with a hint where there is one (a bare word that names nothing: quote it)
}

func (e *CompileError) Error() string { return e.Message }

// Eval evaluates the expression. The error names the expression; it is never a wrong number:
// overflow, division by zero, NaN, a missing operand or an exhausted budget all fail.
func (p *Program) Eval(s *Scope) (value.Value, error) { panic("expr: to be written") }

// EvalBool evaluates a guard. A result that is no boolean is an error.
func (p *Program) EvalBool(s *Scope) (bool, error) { panic("expr: to be written") }

// Source returns the text of the expression.
func (p *Program) Source() string { panic("expr: to be written") }

// Template is a compiled data position: JSON whose texts may contain {{ expression }}.
type Template struct{}

// TemplateFault is one fault in a template: Pointer is relative to the template's value.
type TemplateFault struct {
	Pointer string
	Message string
}

// CompileTemplate compiles a data position and returns all its faults.
func CompileTemplate(v value.Value, names Names) (*Template, []TemplateFault) {
	panic("expr: to be written")
}

// Constant returns the template's value and true when no expression is in it.
func (t *Template) Constant() (value.Value, bool) { panic("expr: to be written") }

// Eval fills the template in.
func (t *Template) Eval(s *Scope) (value.Value, error) { panic("expr: to be written") }
