package expr

import (
	"github.com/expr-lang/expr/ast"

	"github.com/detent-run/detent/internal/machine/value"
)

func (c *compiler) float(n *ast.FloatNode) node {
	v, err := value.OfFloat(n.Value)
	if err != nil {
		return c.fail(n.Location(), "this is beyond the range of numbers")
	}
	return &constant{v}
}

func (c *compiler) text(n *ast.StringNode) node {
	if !validText(n.Value) {
		return c.fail(n.Location(), "a text cannot hold NUL or invalid UTF-8")
	}
	return &constant{value.OfText(n.Value)}
}

// identifier compiles a bare word.
func (c *compiler) identifier(n *ast.IdentifierNode) node {
	for i := len(c.lets) - 1; i >= 0; i-- {
		if c.lets[i].name == n.Value {
			return &local{c.lets[i].slot}
		}
	}
	if v, ok := lookupVariable(n.Value); ok {
		if c.names&v.bit == 0 {
			return c.fail(n.Location(), "`%s` is not known here: it is known %s", v.name, v.known)
		}
		return v.node
	}
	if c.isFunction(n.Value) {
		return c.fail(n.Location(), "`%s` is a function: call it, as in %s(...)", n.Value, n.Value)
	}
	return c.fail(n.Location(), "%s", unknownName(n.Value, c.known()))
}

func (c *compiler) isFunction(name string) bool {
	return name == "inState" || name == "hasTag" || name == "timezone" || lookupBuiltin(name) != nil || lookupLoop(name) != nil
}

// known are the names that a bare word might have been meant to be.
func (c *compiler) known() []string {
	out := []string{"true", "false", "nil"}
	for _, v := range variables {
		if c.names&v.bit != 0 {
			out = append(out, v.name)
		}
	}
	for _, l := range c.lets {
		out = append(out, l.name)
	}
	return out
}

// pointer compiles #, #index and #acc. The parser has them inside predicates only.
func (c *compiler) pointer(n *ast.PointerNode) node {
	if len(c.loops) == 0 {
		return c.fail(n.Location(), "# stands for an element inside of a predicate only")
	}
	l := c.loops[len(c.loops)-1]
	switch {
	case n.Name == "":
		return &local{l.slot}
	case n.Name == "index":
		return &local{l.slot + 1}
	case n.Name == "acc" && l.acc:
		return &local{l.slot + 2}
	case n.Name == "acc":
		return c.fail(n.Location(), "#acc is there in reduce only")
	default:
		return c.fail(n.Location(), "there is no #%s: # is the element and #index its index", n.Name)
	}
}

func (c *compiler) member(n *ast.MemberNode) node {
	base := c.compile(n.Node)
	if key, ok := n.Property.(*ast.StringNode); ok {
		c.text(key)
		return &member{at: spanOf(n), baseAt: spanOf(n.Node), base: base, key: key.Value, optional: n.Optional}
	}
	return &index{at: spanOf(n), baseAt: spanOf(n.Node), base: base, key: c.compile(n.Property), optional: n.Optional}
}

func (c *compiler) unary(n *ast.UnaryNode) node {
	operand := c.compile(n.Node)
	if n.Operator == "!" || n.Operator == "not" {
		return &not{spanOf(n), operand}
	}
	return fold(&sign{spanOf(n), operand, n.Operator == "-"}, operand)
}

func (c *compiler) binary(n *ast.BinaryNode) node {
	at := spanOf(n)
	if n.Operator == "matches" {
		if pattern, ok := n.Right.(*ast.StringNode); ok {
			return c.matchConstant(n, pattern)
		}
	}
	if bounds, ok := n.Right.(*ast.BinaryNode); ok && n.Operator == "in" && bounds.Operator == ".." {
		return &inRange{at, c.compile(n.Left), c.compile(bounds.Left), c.compile(bounds.Right)}
	}
	left, right := c.compile(n.Left), c.compile(n.Right)
	switch n.Operator {
	case "&&", "and", "||", "or":
		return &logical{spanOf(n.Left), spanOf(n.Right), left, right, n.Operator == "||" || n.Operator == "or"}
	case "==", "!=":
		return &equality{at, left, right, n.Operator == "!="}
	case "??":
		return &coalesce{left, right}
	}
	if holds, ok := orders[n.Operator]; ok {
		return &order{at, left, right, holds}
	}
	if apply, ok := operations[n.Operator]; ok {
		return &operation{at, left, right, apply}
	}
	return c.fail(n.Location(), "there is no operator %s", n.Operator)
}

func (c *compiler) matchConstant(n *ast.BinaryNode, text *ast.StringNode) node {
	p, err := compilePattern(text.Value)
	if err != nil {
		return c.fail(text.Location(), "%s", err)
	}
	return &matchConstant{spanOf(n), c.compile(n.Left), p}
}

// let compiles `let x = value; body`. A name that exists already may not be declared again, as in expr-lang.
func (c *compiler) let(n *ast.VariableDeclaratorNode) node {
	if _, ok := lookupVariable(n.Name); ok || c.isFunction(n.Name) {
		return c.fail(n.Location(), "`%s` means something already, a variable needs another name", n.Name)
	}
	for _, l := range c.lets {
		if l.name == n.Name {
			return c.fail(n.Location(), "the variable `%s` is there already", n.Name)
		}
	}
	initial := c.compile(n.Value)
	slot := c.reserve(1)
	c.lets = append(c.lets, declared{n.Name, slot})
	body := c.compile(n.Expr)
	c.lets = c.lets[:len(c.lets)-1]
	c.next = slot
	return &let{slot, initial, body}
}

// reserve takes n slots, which are free again when c.next is set back.
func (c *compiler) reserve(n int) int {
	slot := c.next
	c.next += n
	c.program.slots = max(c.program.slots, c.next)
	return slot
}

func (c *compiler) array(n *ast.ArrayNode) node {
	c.program.builds = true
	nodes := c.compileAll(n.Nodes)
	return fold(&arrayLiteral{spanOf(n), nodes}, nodes...)
}

func (c *compiler) object(n *ast.MapNode) node {
	c.program.builds = true
	pairs := make([]pair, len(n.Pairs))
	parts := make([]node, 0, 2*len(n.Pairs))
	seen := make(map[string]bool, len(n.Pairs))
	for i, p := range n.Pairs {
		p := p.(*ast.PairNode)
		pairs[i] = pair{spanOf(p.Key), c.compile(p.Key), c.compile(p.Value)}
		parts = append(parts, pairs[i].key, pairs[i].value)
		if key, ok := p.Key.(*ast.StringNode); ok {
			if seen[key.Value] {
				c.fail(key.Location(), "the key `%s` is there twice", key.Value)
			}
			seen[key.Value] = true
		}
	}
	return fold(&objectLiteral{spanOf(n), pairs}, parts...)
}

// fold evaluates a node whose parts are all constant, when that succeeds. It is used where the
// result is no larger than the source.
func fold(n node, parts ...node) node {
	for _, p := range parts {
		if _, ok := p.(*constant); !ok {
			return n
		}
	}
	s := &Scope{}
	s.begin()
	v, err := n.eval(s)
	if err != nil {
		return n
	}
	return &constant{v}
}
