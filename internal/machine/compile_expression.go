package machine

import (
	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// program compiles a bare expression. It returns nil when there is a fault in it.
func (c *compiler) program(source, at string, sees expr.Names) *expr.Program {
	p, err := expr.Compile(source, sees)
	if err != nil {
		c.fault(at, CodeBadExpression, "%s", err)
		return nil
	}
	c.checkStateIDs(p.StateIDs(), at)
	return p
}

// template compiles a data position: nil when it is not given.
func (c *compiler) template(v value.Value, at string, sees expr.Names) *expression {
	if v.IsAbsent() {
		return nil
	}
	t, faults := expr.CompileTemplate(v, sees)
	for _, f := range faults {
		c.fault(at+f.Pointer, CodeBadExpression, "%s", f.Message)
	}
	if len(faults) > 0 {
		return &expression{at: at}
	}
	c.checkStateIDs(t.StateIDs(), at)
	if constant, ok := t.Constant(); ok {
		return &expression{at: at, constant: constant}
	}
	return &expression{at: at, template: t}
}

// checkStateIDs holds the ids that an expression gives to inState to the states that there are, and keeps
// what they name.
func (c *compiler) checkStateIDs(ids []string, at string) {
	for _, id := range ids {
		n, err := c.d.stateByID(id)
		if err != nil {
			c.fault(at, CodeUnknownState, "inState(%s): %s", value.OfText(id), err)
		}
		c.d.named[id] = n
	}
}

// assignments compiles keys of the context with their code.
func (c *compiler) assignments(list []syntax.Assignment, sees expr.Names) []assignment {
	out := make([]assignment, len(list))
	for i, x := range list {
		out[i] = assignment{key: x.Key, code: c.code(x.Code, x.At, sees)}
	}
	return out
}

// code compiles a code position: text is an expression, an object or an array a data position,
// anything else a literal.
func (c *compiler) code(v value.Value, at string, sees expr.Names) *expression {
	switch v.Kind() {
	case value.Text:
		return &expression{at: at, program: c.program(v.Text(), at, sees)}
	case value.Array, value.Object:
		return c.template(v, at, sees)
	default:
		return &expression{at: at, constant: v}
	}
}
