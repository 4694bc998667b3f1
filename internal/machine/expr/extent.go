package expr

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// measure gives every node the extent of its text: the parser gives it the place of one token
// (an operator, a property) only. It counts on the way, and stops at the limits, so that everything
// after it may recurse freely.
type measure struct {
	nodes int
	deep  bool
}

// exceeded reports whether the tree is beyond a limit. Nodes are counted as often as they are
// reached: in a < b < c the parser lets both comparisons share b, so that a nest of such chains is a
// small graph but a tree of exponential size.
func (m *measure) exceeded() bool { return m.deep || m.nodes > maxNodes }

func (m *measure) visit(n ast.Node, depth int) {
	m.nodes++
	m.deep = m.deep || depth > maxDepth
	if m.exceeded() {
		return
	}
	extent := ownExtent(n)
	for _, child := range children(n) {
		if child != nil {
			m.visit(child, depth+1)
			extent = union(extent, child.Location())
		}
	}
	n.SetLocation(extent)
}

// ownExtent returns the place of the node's own token, nothing where the parser's place is another one.
func ownExtent(n ast.Node) file.Location {
	at := n.Location()
	switch n := n.(type) {
	case *ast.ConditionalNode: // the token after it
		return file.Location{}
	case *ast.PointerNode: // # without the name after it
		at.To += len([]rune(n.Name))
	}
	return at
}

func union(a, b file.Location) file.Location {
	switch {
	case a.To == 0:
		return b
	case b.To == 0:
		return a
	default:
		return file.Location{From: min(a.From, b.From), To: max(a.To, b.To)}
	}
}

// children returns the nodes right below n; some may be nil.
func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.UnaryNode:
		return []ast.Node{n.Node}
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}
	case *ast.ChainNode:
		return []ast.Node{n.Node}
	case *ast.MemberNode:
		return []ast.Node{n.Node, n.Property}
	case *ast.SliceNode:
		return []ast.Node{n.Node, n.From, n.To}
	case *ast.CallNode:
		return append([]ast.Node{n.Callee}, n.Arguments...)
	case *ast.BuiltinNode:
		return n.Arguments
	case *ast.PredicateNode:
		return []ast.Node{n.Node}
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.VariableDeclaratorNode:
		return []ast.Node{n.Value, n.Expr}
	case *ast.SequenceNode:
		return n.Nodes
	case *ast.ArrayNode:
		return n.Nodes
	case *ast.MapNode:
		return n.Pairs
	case *ast.PairNode:
		return []ast.Node{n.Key, n.Value}
	default:
		return nil
	}
}
