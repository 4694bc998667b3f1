package expr

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/detent-run/detent/internal/machine/value"
)

// Compile compiles an expression that may use the given names. The error is a *CompileError.
func Compile(source string, names Names) (*Program, error) {
	c := &compiler{program: &Program{source: source}, names: names}
	switch {
	case len(source) > MaxSource:
		c.fail(file.Location{}, "the expression is longer than %d bytes", MaxSource)
	case strings.TrimSpace(source) == "":
		c.fail(file.Location{}, "there is no expression")
	case !validText(source):
		c.fail(file.Location{}, "the expression is not valid UTF-8 without NUL")
	default:
		c.compileSource(source)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.program, nil
}

// compiler turns a syntax tree into nodes. It keeps the first fault; what it makes after that is
// thrown away, so its methods return no errors.
type compiler struct {
	program *Program
	names   Names
	err     *CompileError
	lets    []declared
	loops   []loopSlots // innermost last
	next    int         // the first slot that is free here
}

// declared is a variable of a let, visible in its body.
type declared struct {
	name string
	slot int
}

// loopSlots says where the innermost # stands, and whether there is an #acc.
type loopSlots struct {
	slot int
	acc  bool
}

func (c *compiler) fail(at file.Location, format string, args ...any) node {
	if c.err == nil {
		source := c.program.source
		c.err = &CompileError{Source: source, Offset: byteOffset(source, at.From), Message: fmt.Sprintf(format, args...)}
	}
	return &constant{value.NullValue}
}

func (c *compiler) compileSource(source string) {
	tree, err := parser.Parse(source)
	if err != nil {
		c.syntaxError(source, err)
		return
	}
	var m measure
	m.visit(tree.Node, 0)
	if m.exceeded() {
		c.fail(file.Location{}, "the expression has more than %d parts or nests deeper than %d", maxNodes, maxDepth)
		return
	}
	c.program.root = c.compile(tree.Node)
}

// syntaxError says in words what the parser says in names of tokens.
func (c *compiler) syntaxError(source string, err error) {
	var parse *file.Error
	if !errors.As(err, &parse) {
		c.fail(file.Location{}, "%s", err)
		return
	}
	message := parse.Message
	if message == "unexpected end of expression" {
		message = "the expression ends where more is expected"
	}
	if token, ok := strings.CutPrefix(message, "unexpected token "); ok {
		message = unexpected(token)
	}
	if strings.Contains(source, "countBy") && c.uses(source, "countBy") {
		message = unknownFunction("countBy", nil) + ": map over toPairs(groupBy(...)) instead"
	}
	c.fail(parse.Location, "%s", message)
}

// uses reports whether a word stands in the source right before a parenthesis.
func (*compiler) uses(source, word string) bool {
	_, after, _ := strings.Cut(source, word)
	return strings.HasPrefix(strings.TrimSpace(after), "(")
}

// unexpected describes a token that the parser prints as Kind("text").
func unexpected(token string) string {
	kind, quoted, _ := strings.Cut(strings.TrimSuffix(token, ")"), "(")
	text, err := strconv.Unquote(quoted)
	switch {
	case kind == "EOF":
		return "the expression ends where more is expected"
	case err != nil:
		return "unexpected " + token
	case text == "=":
		return "unexpected `=`: == compares, and expressions assign nothing"
	case text == ":":
		return "unexpected `:` (a predicate that is an object needs parentheses: ({a: 1}))"
	case kind == "Identifier":
		return "unexpected `" + text + "` after a complete expression: a text needs quotes"
	default:
		return "unexpected `" + text + "`"
	}
}

// compile compiles any node.
func (c *compiler) compile(n ast.Node) node {
	switch n := n.(type) {
	case *ast.NilNode:
		return &constant{value.NullValue}
	case *ast.BoolNode:
		return &constant{value.OfBool(n.Value)}
	case *ast.IntegerNode:
		return &constant{value.OfInt(int64(n.Value))}
	case *ast.FloatNode:
		return c.float(n)
	case *ast.StringNode:
		return c.text(n)
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ChainNode:
		return &chain{c.compile(n.Node)}
	case *ast.MemberNode:
		return c.member(n)
	case *ast.SliceNode:
		return &slice{at: spanOf(n), base: c.compile(n.Node), from: c.optional(n.From), to: c.optional(n.To)}
	case *ast.ConditionalNode:
		return &conditional{spanOf(n.Cond), c.compile(n.Cond), c.compile(n.Exp1), c.compile(n.Exp2)}
	case *ast.VariableDeclaratorNode:
		return c.let(n)
	case *ast.SequenceNode:
		return &sequence{c.compileAll(n.Nodes)}
	case *ast.ArrayNode:
		return c.array(n)
	case *ast.MapNode:
		return c.object(n)
	case *ast.BuiltinNode:
		return c.builtin(n)
	case *ast.CallNode:
		return c.call(n)
	case *ast.BytesNode:
		return c.fail(n.Location(), "JSON has no bytes: write a text without the b")
	default:
		return c.fail(n.Location(), "this is not supported in an expression")
	}
}

func (c *compiler) compileAll(nodes []ast.Node) []node {
	out := make([]node, len(nodes))
	for i, n := range nodes {
		out[i] = c.compile(n)
	}
	return out
}

// optional compiles a node that may be missing.
func (c *compiler) optional(n ast.Node) node {
	if n == nil {
		return nil
	}
	return c.compile(n)
}

// spanOf returns the extent that measure has found.
func spanOf(n ast.Node) span {
	at := n.Location()
	return span{uint16(at.From), uint16(at.To)}
}
