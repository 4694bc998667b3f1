package expr

import (
	"github.com/expr-lang/expr/ast"

	"github.com/detent-run/detent/internal/machine/value"
)

// call compiles a call of what is no builtin of expr-lang.
func (c *compiler) call(n *ast.CallNode) node {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.fail(n.Callee.Location(), "values have no methods: functions are called as f(x) or x | f()")
	}
	switch callee.Value {
	case "inState":
		return c.stateCall(n, callee, InState, inState)
	case "hasTag":
		return c.stateCall(n, callee, HasTag, hasTag)
	}
	if _, ok := lookupVariable(callee.Value); ok {
		return c.fail(callee.Location(), "`%s` is a value, not a function", callee.Value)
	}
	return c.fail(callee.Location(), "%s", unknownFunction(callee.Value, functionNames()))
}

// functionNames are the functions that a call might have been meant for.
func functionNames() []string {
	names := []string{"inState", "hasTag", "now"}
	for _, b := range builtins {
		names = append(names, b.name)
	}
	for _, l := range loops {
		names = append(names, l.name)
	}
	return names
}

// stateCall compiles a question about the configuration.
func (c *compiler) stateCall(n *ast.CallNode, callee *ast.IdentifierNode, bit Names,
	apply func(*Scope, value.Value) (value.Value, error),
) node {
	if c.names&bit == 0 {
		return c.fail(callee.Location(), "%s(...) is not known here: there is no configuration yet", callee.Value)
	}
	if len(n.Arguments) != 1 {
		return c.fail(n.Location(), "%s takes one text, not %d arguments", callee.Value, len(n.Arguments))
	}
	if id, ok := n.Arguments[0].(*ast.StringNode); ok && bit == InState {
		c.program.stateIDs = append(c.program.stateIDs, id.Value)
	}
	return &call1{spanOf(n), apply, c.compile(n.Arguments[0])}
}

// builtin compiles a call of one of expr-lang's builtins.
func (c *compiler) builtin(n *ast.BuiltinNode) node {
	switch n.Name {
	case "now":
		if len(n.Arguments) > 0 {
			return c.fail(n.Location(), "now takes no time zone: it is a number of milliseconds")
		}
		now := &ast.IdentifierNode{Value: "now"}
		now.SetLocation(n.Location())
		return c.identifier(now)
	case "timezone":
		return c.fail(n.Location(), "timezone is not supported: times are numbers of milliseconds, which have none")
	}
	if l := lookupLoop(n.Name); l != nil {
		return c.loop(n, l)
	}
	b := lookupBuiltin(n.Name)
	if b == nil {
		return c.fail(n.Location(), "the function `%s` is not supported", n.Name)
	}
	if !b.accepts(len(n.Arguments)) {
		return c.fail(n.Location(), "%s does not take %d arguments", n.Name, len(n.Arguments))
	}
	c.program.builds = c.program.builds || b.builds()
	at, args := spanOf(n), c.compileAll(n.Arguments)
	switch {
	case len(args) == 1 && b.unary != nil:
		return &call1{at, b.unary, args[0]}
	case len(args) == 2 && b.binary != nil:
		return &operation{at, args[0], args[1], b.binary}
	default:
		return &callN{at, b.many, args}
	}
}

// builds reports whether the function may give a value that nests deeper than what it is given.
func (b *builtin) builds() bool { return b.name == "fromJSON" || b.name == "toPairs" }

// loopSyntax says what a collection function takes, and makes its node.
type loopSyntax struct {
	name     string
	bodyless bool // the predicate may be left out
	third    bool // there may be an argument after the predicate
	acc      bool // the predicate sees #acc
	deepens  bool // the result nests deeper than the elements
	node     func(l loop, third node, thirdAt span) node
}

var loops = []loopSyntax{
	{name: "all", node: func(l loop, _ node, _ span) node { return &quantifier{l, false, false} }},
	{name: "none", node: func(l loop, _ node, _ span) node { return &quantifier{l, true, false} }},
	{name: "any", node: func(l loop, _ node, _ span) node { return &quantifier{l, true, true} }},
	{name: "one", node: func(l loop, _ node, _ span) node { return &count{l, true} }},
	{name: "count", bodyless: true, node: func(l loop, _ node, _ span) node { return &count{l, false} }},
	{name: "filter", node: func(l loop, _ node, _ span) node { return &filter{l} }},
	{name: "map", deepens: true, node: func(l loop, _ node, _ span) node { return &mapping{l} }},
	{name: "find", node: func(l loop, _ node, _ span) node { return &find{l, false, false} }},
	{name: "findIndex", node: func(l loop, _ node, _ span) node { return &find{l, false, true} }},
	{name: "findLast", node: func(l loop, _ node, _ span) node { return &find{l, true, false} }},
	{name: "findLastIndex", node: func(l loop, _ node, _ span) node { return &find{l, true, true} }},
	{name: "sum", bodyless: true, node: func(l loop, _ node, _ span) node { return &sum{l} }},
	{name: "groupBy", deepens: true, node: func(l loop, _ node, _ span) node { return &groupBy{l} }},
	{name: "sortBy", third: true, node: func(l loop, order node, at span) node { return &sortBy{l, order, at} }},
	{name: "reduce", third: true, acc: true, node: func(l loop, initial node, _ span) node { return &reduce{l, initial} }},
}

func lookupLoop(name string) *loopSyntax {
	for i := range loops {
		if loops[i].name == name {
			return &loops[i]
		}
	}
	return nil
}

// loop compiles a collection function. The slots of its element are free again after its predicate.
func (c *compiler) loop(n *ast.BuiltinNode, syntax *loopSyntax) node {
	args := n.Arguments
	if len(args) == 0 || (len(args) == 1 && !syntax.bodyless) || (len(args) == 3 && !syntax.third) || len(args) > 3 {
		return c.fail(n.Location(), "%s does not take %d arguments", n.Name, len(args))
	}
	c.program.builds = c.program.builds || syntax.deepens
	l := loop{at: spanOf(n), over: c.compile(args[0])}
	var third node
	var thirdAt span
	if len(args) == 3 {
		third, thirdAt = c.compile(args[2]), spanOf(args[2])
	}
	if len(args) > 1 {
		predicate, ok := args[1].(*ast.PredicateNode)
		if !ok {
			return c.fail(args[1].Location(), "%s takes a predicate here", n.Name)
		}
		l.bodyAt = spanOf(predicate)
		l.slot = c.reserve(3)
		c.loops = append(c.loops, loopSlots{l.slot, syntax.acc})
		l.body = c.compile(predicate.Node)
		c.loops = c.loops[:len(c.loops)-1]
		c.next = l.slot
	}
	return syntax.node(l, third, thirdAt)
}
