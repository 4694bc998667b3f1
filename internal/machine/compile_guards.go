package machine

import (
	"strings"

	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// guard compiles a guard: nil when there is none.
func (c *compiler) guard(g *syntax.Guard, sees expr.Names) guard {
	if g == nil {
		return nil
	}
	switch g.Kind {
	case syntax.GuardNamed:
		return &namedGuard{params: c.template(g.Params, child(g.At, "params"), sees), body: c.namedGuard(g)}
	case syntax.GuardExpr:
		if g.Expr == "true" || g.Expr == "false" {
			return literalGuard(g.Expr == "true")
		}
		return &exprGuard{at: g.At, program: c.program(g.Expr, g.At, sees)}
	case syntax.GuardAnd:
		return andGuard(c.guardList(g.Of, sees))
	case syntax.GuardOr:
		return orGuard(c.guardList(g.Of, sees))
	case syntax.GuardNot:
		return notGuard{c.guardList(g.Of, sees)[0]}
	default:
		return c.stateIn(g)
	}
}

func (c *compiler) guardList(list []*syntax.Guard, sees expr.Names) []guard {
	out := make([]guard, len(list))
	for i, g := range list {
		out[i] = c.guard(g, sees)
	}
	return out
}

// namedGuard looks a guard up.
func (c *compiler) namedGuard(g *syntax.Guard) *guardBody {
	body, stage := c.guardBody(g.Name)
	switch {
	case stage == underWay:
		c.fault(g.At, CodeEndless, "the guard %q needs itself to be decided", g.Name)
	case stage == untouched && looksLikeExpression(g.Name):
		c.fault(g.At, CodeUnknownGuard, "text here is the name of a guard, and setup.guards has no %q; an expression is written {\"expr\": %s}", g.Name, value.OfText(g.Name))
	case stage == untouched:
		known := c.doc.Setup.Guards
		c.unknown(g.At, CodeUnknownGuard, "setup.guards has no", g.Name, len(known), func(i int) string { return known[i].Key })
	}
	return body
}

// looksLikeExpression reports whether somebody wrote an expression where a name belongs.
func looksLikeExpression(name string) bool {
	return strings.ContainsAny(name, "<>=!()&|?+*'") || strings.HasPrefix(name, "context.") || strings.HasPrefix(name, "event.")
}

// guardBody compiles what a name of setup.guards stands for, once. The stage is untouched when there
// is no such name, and underWay when the name is needed for itself.
func (c *compiler) guardBody(name string) (*guardBody, stage) {
	if s := c.guardStages[name]; s != untouched {
		return c.guards[name], s
	}
	for _, x := range c.doc.Setup.Guards {
		if x.Key != name {
			continue
		}
		body := &guardBody{}
		c.guards[name], c.guardStages[name] = body, underWay
		body.guard = c.guard(x.Guard, inSetup)
		c.guardStages[name] = finished
		return body, finished
	}
	return &guardBody{}, untouched
}

// stateIn compiles a stateIn guard. An unknown id is a fault; an unknown path is false, as in XState,
// since a state value may come from another version of the machine.
func (c *compiler) stateIn(g *syntax.Guard) guard {
	if text := g.State.Text(); strings.HasPrefix(text, "#") {
		n, err := c.d.stateByID(text)
		if err != nil {
			c.fault(g.At, CodeUnknownState, "stateIn %s: %s", value.OfText(text), err)
		}
		return stateInID(n)
	}
	paths := &stateInPaths{}
	c.addPaths(paths, 0, g.State)
	if paths.never {
		c.warnf(g.At, CodeUnknownState, "stateIn %s: the machine has no such state, so that this never holds", g.State)
	}
	return paths
}

// addPaths adds what a part of a state value says of a state.
func (c *compiler) addPaths(g *stateInPaths, state int32, v value.Value) {
	if v.Kind() == value.Text {
		n, missing := c.d.walk(state, splitPath(v.Text()))
		if g.never = g.never || missing != nil; missing == nil {
			g.active = append(g.active, n)
		}
		return
	}
	g.active, g.inner = append(g.active, state), append(g.inner, state)
	for i := range v.Len() {
		key, x := v.Member(i)
		n, ok := c.d.children[childKey{state, key}]
		if !ok {
			g.never = true
			return
		}
		c.addPaths(g, n, x)
	}
}
