package expr

import (
	"fmt"
	"unicode/utf8"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"

	"github.com/detent-run/detent/internal/machine/value"
)

// CompileError says where in the expression the fault is, what was expected, and what to do.
type CompileError struct {
	Source  string
	Offset  int    // bytes
	Message string // one line, with a hint where there is one (a bare word that names nothing: quote it)
}

// Error returns the message.
func (e *CompileError) Error() string { return e.Message }

// EvalError says which part of which expression failed, and why.
type EvalError struct {
	Source  string // the whole expression
	Part    string // the part of it that failed
	Pointer string // of a template: where in it the expression stands
	Message string
}

// Error returns the expression, the part of it and the message on one line.
func (e *EvalError) Error() string {
	text := shorten(e.Source, maxQuoted) + ": "
	if e.Part != e.Source {
		text += shorten(e.Part, maxQuoted) + ": "
	}
	text += e.Message
	if e.Pointer != "" {
		text += " (in " + e.Pointer + ")"
	}
	return text
}

// span is a part of an expression's text, from a character up to another. The empty span stands for
// the whole of it. MaxSource fits.
type span struct{ from, to uint16 }

// failure is an error on its way up: the function that finds it does not know where it stands, the
// node that called the function adds that, and Program.Eval makes an *EvalError of it.
type failure struct {
	at      span
	located bool
	message string
	subject span // its text stands before the message
}

func (f *failure) Error() string { return f.message }

func failf(format string, args ...any) error { return &failure{message: fmt.Sprintf(format, args...)} }

// locate says where an error has happened, unless that is known already.
func locate(err error, at span) error {
	if f, ok := err.(*failure); ok && !f.located {
		f.at, f.located = at, true
	}
	return err
}

// explain makes an *EvalError of a failure.
func (p *Program) explain(err error) error {
	f, ok := err.(*failure)
	if !ok {
		return err
	}
	e := &EvalError{Source: p.source, Part: excerpt(p.source, f.at), Message: f.message}
	if f.subject != (span{}) {
		e.Message = "`" + shorten(excerpt(p.source, f.subject), maxQuoted) + "` " + e.Message
	}
	return e
}

// excerpt returns the text of a part, widened to where its brackets are balanced: the syntax tree
// knows where a part's first and last words stand, not where the brackets around them close.
func excerpt(source string, at span) string {
	if at.to == 0 {
		return source
	}
	from, to := int(at.from), int(at.to)
	tokens, err := lexer.Lex(file.NewSource(source))
	if err != nil {
		return source
	}
	var open []lexer.Token
	for _, t := range tokens {
		if t.Kind != lexer.Bracket {
			continue
		}
		if t.Value == "(" || t.Value == "[" || t.Value == "{" {
			open = append(open, t)
			continue
		}
		if len(open) == 0 {
			return source
		}
		start := open[len(open)-1].From
		open = open[:len(open)-1]
		// Inner brackets close first, so one pass widens over every level.
		opensInside, closesInside := start >= from && start < to, t.From >= from && t.From < to
		if opensInside || closesInside {
			from, to = min(from, start), max(to, t.To)
		}
	}
	return source[byteOffset(source, from):byteOffset(source, to)]
}

// byteOffset returns where the n-th character of a text begins.
func byteOffset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// maxQuoted is how much of an expression or a value an error message quotes, in bytes.
const maxQuoted = 80

func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

// describe names a value in an error message: a scalar by itself, anything else by its kind.
func describe(v value.Value) string {
	switch v.Kind() {
	case value.Absent, value.Null:
		return "null"
	case value.Bool:
		return "the boolean " + v.String()
	case value.Int, value.Float:
		return "the number " + v.String()
	case value.Text:
		return "the text " + shorten(v.String(), maxQuoted/2)
	case value.Object:
		return "an object"
	default:
		return "an array"
	}
}

// need is the error of an operand of the wrong kind.
func need(what string, v value.Value) error {
	return failf("%s is needed here, not %s", what, describe(v))
}
