package machine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
)

// twin is a definition: the tree (3.1).
type twin struct {
	doc   *syntax.Document
	root  *twinNode
	nodes []*twinNode // in document order

	programs  map[string]*expr.Program
	templates map[string]*expr.Template
}

// twinNode is a node of the tree.
type twinNode struct {
	*syntax.State
	id       string
	parent   *twinNode
	children []*twinNode
	on       []twinCandidates
	always   []*twinTransition
	initial  *twinTransition // of a compound node
	fallback *twinTransition // of a history node: its default
}

// twinCandidates is the candidates for one event descriptor.
type twinCandidates struct {
	descriptor string
	list       []*twinTransition
}

// twinTransition is a transition with its targets found.
type twinTransition struct {
	at      string
	source  *twinNode
	targets []*twinNode
	guard   *syntax.Guard
	actions []*syntax.Action
	reenter bool
}

// newTwin builds the tree.
func newTwin(doc *syntax.Document) *twin {
	w := &twin{doc: doc, programs: map[string]*expr.Program{}, templates: map[string]*expr.Template{}}
	id := doc.Machine.ID
	if id == "" {
		id = "(machine)"
	}
	w.root = w.grow(doc.Machine, nil, id)
	for _, n := range w.nodes {
		if n.Type == syntax.Compound {
			n.initial = &twinTransition{source: n, targets: []*twinNode{n.child(n.Initial.Targets[0])}, actions: n.Initial.Actions}
		}
	}
	for _, n := range w.nodes {
		w.candidates(n)
		n.fallback = w.fallback(n)
	}
	return w
}

// grow numbers nodes and names them (3.1.1 to 3.1.3). The keys are in the right order already.
func (w *twin) grow(s *syntax.State, parent *twinNode, path string) *twinNode {
	n := &twinNode{State: s, parent: parent, id: path}
	if s.ID != "" {
		n.id = s.ID
	}
	w.nodes = append(w.nodes, n)
	for _, x := range s.States {
		n.children = append(n.children, w.grow(x, n, path+"."+x.Key))
	}
	return n
}

func (n *twinNode) child(key string) *twinNode {
	for _, c := range n.children {
		if c.Key == key {
			return c
		}
	}
	panic("no child " + key)
}

// regions is the children that are not history nodes.
func (n *twinNode) regions() []*twinNode {
	var out []*twinNode
	for _, c := range n.children {
		if c.Type != syntax.History {
			out = append(out, c)
		}
	}
	return out
}

// under reports whether n is a proper descendant of top. Every node is one of nothing.
func (n *twinNode) under(top *twinNode) bool {
	if top == nil {
		return true
	}
	return n.parent != nil && (n.parent == top || n.parent.under(top))
}

func (n *twinNode) isLeaf() bool { return n.Type == syntax.Atomic || n.Type == syntax.Final }

// target finds what a target names (3.1.5). The keys and ids of the definitions here have no dots.
func (w *twin) target(source *twinNode, text string) *twinNode {
	from, keys := source.parent, strings.Split(text, ".")
	switch {
	case text[0] == '#':
		from, keys = w.byID(keys[0][1:]), keys[1:]
	case text[0] == '.':
		from, keys = source, keys[1:]
	}
	for _, key := range keys {
		from = from.child(key)
	}
	return from
}

func (w *twin) byID(id string) *twinNode {
	for _, n := range w.nodes {
		if n.id == id {
			return n
		}
	}
	return nil
}

func (w *twin) transition(source *twinNode, t *syntax.Transition) *twinTransition {
	out := &twinTransition{at: t.At, source: source, guard: t.Guard, actions: t.Actions, reenter: t.Reenter}
	for _, text := range t.Targets {
		out.targets = append(out.targets, w.target(source, text))
	}
	return out
}

func (w *twin) transitions(source *twinNode, list []*syntax.Transition) []*twinTransition {
	var out []*twinTransition
	for _, t := range list {
		out = append(out, w.transition(source, t))
	}
	return out
}

// candidates lists what a node has for which descriptor (3.1.6).
func (w *twin) candidates(n *twinNode) {
	find := func(descriptor string) *twinCandidates {
		for i := range n.on {
			if n.on[i].descriptor == descriptor {
				return &n.on[i]
			}
		}
		n.on = append(n.on, twinCandidates{descriptor: descriptor})
		return &n.on[len(n.on)-1]
	}
	for _, h := range n.On {
		find(h.Key).list = w.transitions(n, h.Transitions)
	}
	if n.OnDone != nil {
		find("xstate.done.state." + n.id).list = w.transitions(n, n.OnDone)
	}
	for i, v := range n.Invoke {
		if v.OnDone != nil {
			find("xstate.done.actor." + n.invokeID(i)).list = w.transitions(n, v.OnDone)
		}
		if v.OnError != nil {
			find("xstate.error.actor." + n.invokeID(i)).list = w.transitions(n, v.OnError)
		}
	}
	for _, h := range n.After {
		c := find("xstate.after." + h.Key + "." + n.id)
		c.list = append(c.list, w.transitions(n, h.Transitions)...)
	}
	n.always = w.transitions(n, n.Always)
}

func (n *twinNode) invokeID(i int) string {
	if id := n.Invoke[i].ID; id != "" {
		return id
	}
	return strconv.Itoa(i) + "." + n.id
}

// fallback is the default of a history node (3.10.3).
func (w *twin) fallback(n *twinNode) *twinTransition {
	switch {
	case n.Type != syntax.History:
		return nil
	case n.Target != nil:
		return w.transition(n, n.Target)
	case n.parent.Type == syntax.Parallel:
		return &twinTransition{source: n, targets: []*twinNode{n.parent}}
	default:
		return n.parent.initial
	}
}

// initialNodes is everything that belongs to the initial configuration of the machine (3.4.3), below the
// root. Where an initial names a history node, that is where the search ends: it is a target as it stands.
func (w *twin) initialNodes() []*twinNode {
	var out []*twinNode
	var visit func(n *twinNode)
	visit = func(n *twinNode) {
		if n != w.root {
			out = append(out, n)
		}
		switch n.Type {
		case syntax.Compound:
			visit(n.initial.targets[0])
		case syntax.Parallel:
			for _, c := range n.regions() {
				visit(c)
			}
		}
	}
	visit(w.root)
	return out
}

// initialConfiguration is what the start enters when nothing is recorded.
func (w *twin) initialConfiguration(initial []*twinNode) []*twinNode {
	s := &twinStep{twin: w}
	entry, _ := s.entrySet([]*twinTransition{{source: w.root, targets: append([]*twinNode{w.root}, initial...), reenter: true}}, []*twinNode{nil})
	return w.inDocumentOrder(entry)
}

// inDocumentOrder lists a set of nodes.
func (w *twin) inDocumentOrder(set map[*twinNode]bool) []*twinNode {
	var out []*twinNode
	for _, n := range w.nodes {
		if set[n] {
			out = append(out, n)
		}
	}
	return out
}

// TestTwinTree holds the twin's own tree to a few facts, since everything else stands on it.
func TestTwinTree(t *testing.T) {
	t.Parallel()
	doc, err := syntax.DecodeYAML([]byte(`
machine:
  id: m
  initial: a
  states:
    a: {initial: x, states: {x: {id: mine, on: {E: y}}, y: {on: {E: "#mine", F: "#m.b.z", G: .q}, states: {q: {}}, initial: q}, h: {type: history}}}
    b: {type: parallel, states: {z: {}, h: {type: history}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	w := newTwin(doc)
	var ids []string
	for _, n := range w.nodes {
		ids = append(ids, n.id)
	}
	if want := []string{"m", "m.a", "mine", "m.a.y", "m.a.y.q", "m.a.h", "m.b", "m.b.z", "m.b.h"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v", ids)
	}
	for _, x := range []struct{ source, text, want string }{
		{"mine", "y", "m.a.y"}, {"m.a.y", "#mine", "mine"}, {"m.a.y", "#m.b.z", "m.b.z"}, {"m.a.y", ".q", "m.a.y.q"}, {"m.a", "b.z", "m.b.z"},
	} {
		if got := w.target(w.byID(x.source), x.text); got.id != x.want {
			t.Errorf("%s from %s is %s", x.text, x.source, got.id)
		}
	}
	if d := w.byID("m.a.h").fallback; d != w.byID("m.a").initial {
		t.Error("the default of a history node is the initial transition of its parent")
	}
}
