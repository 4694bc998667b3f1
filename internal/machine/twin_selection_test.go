package machine_test

import (
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// selectFor selects the transitions for an event (3.6).
func (s *twinStep) selectFor(ev machine.Event) []*twinTransition {
	if ev.Type == "xstate.init" {
		return nil
	}
	return s.selectIn(s.root, ev.Type)
}

// selectIn is 3.6.1.
func (s *twinStep) selectIn(n *twinNode, eventType string) []*twinTransition {
	var found []*twinTransition
	for _, c := range n.regions() {
		if slices.Contains(s.is.active, c) {
			found = append(found, s.selectIn(c, eventType)...)
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, t := range n.candidatesFor(eventType) {
		if s.holds(t.guard) {
			return []*twinTransition{t}
		}
	}
	return nil
}

// candidatesFor is 3.6.2.
func (n *twinNode) candidatesFor(eventType string) []*twinTransition {
	var out []*twinTransition
	var others []twinCandidates
	for _, c := range n.on {
		if c.descriptor == eventType {
			out = append(out, c.list...)
		} else if matchesDescriptor(c.descriptor, eventType) {
			others = append(others, c)
		}
	}
	slices.SortStableFunc(others, func(a, b twinCandidates) int { return len([]rune(b.descriptor)) - len([]rune(a.descriptor)) })
	for _, c := range others {
		out = append(out, c.list...)
	}
	return out
}

// matchesDescriptor is 3.6.3, for descriptors that are not the very name of the event.
func matchesDescriptor(descriptor, eventType string) bool {
	if descriptor == "*" {
		return true
	}
	tokens, given := strings.Split(descriptor, "."), strings.Split(eventType, ".")
	last := len(tokens) - 1
	if tokens[last] != "*" || len(given) < last || strings.Contains(strings.Join(tokens[:last], "."), "*") {
		return false
	}
	return slices.Equal(tokens[:last], given[:last])
}

// selectEventless is 3.7.1.
func (s *twinStep) selectEventless() []*twinTransition {
	var out []*twinTransition
	for _, leaf := range s.is.active {
		if !leaf.isLeaf() {
			continue
		}
		if t := s.eventlessOf(leaf); t != nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (s *twinStep) eventlessOf(n *twinNode) *twinTransition {
	if n == nil {
		return nil
	}
	for _, t := range n.always {
		if s.holds(t.guard) {
			return t
		}
	}
	return s.eventlessOf(n.parent)
}

// withoutConflicts is 3.7.2.
func (s *twinStep) withoutConflicts(list []*twinTransition) []*twinTransition {
	var kept []*twinTransition
next:
	for _, t := range list {
		marked := map[*twinTransition]bool{}
		for _, k := range kept {
			if !meet(s.exitSet(t), s.exitSet(k)) {
				continue
			}
			if !t.source.under(k.source) {
				continue next
			}
			marked[k] = true
		}
		kept = slices.DeleteFunc(kept, func(k *twinTransition) bool { return marked[k] })
		kept = append(kept, t)
	}
	return kept
}

func meet(a, b map[*twinNode]bool) bool {
	for n := range a {
		if b[n] {
			return true
		}
	}
	return false
}

// holds decides a guard (3.6.5, 3.12.5, 3.12.6).
func (s *twinStep) holds(g *syntax.Guard) bool {
	if g == nil {
		return true
	}
	switch g.Kind {
	case syntax.GuardExpr:
		ok, err := s.program(g.Expr).EvalBool(s.scope())
		if err != nil {
			panic(twinFailure(machine.ExpressionFailure))
		}
		return ok
	case syntax.GuardNamed:
		var ok bool
		s.withParams(g.Params, func() {
			for _, x := range s.doc.Setup.Guards {
				if x.Key == g.Name {
					ok = s.holds(x.Guard)
				}
			}
		})
		return ok
	case syntax.GuardAnd:
		return !slices.ContainsFunc(g.Of, func(x *syntax.Guard) bool { return !s.holds(x) })
	case syntax.GuardOr:
		return slices.ContainsFunc(g.Of, s.holds)
	case syntax.GuardNot:
		return !s.holds(g.Of[0])
	default:
		return s.stateIn(g.State)
	}
}

// configuration is what guards look at: what was active before the microstep.
func (s *twinStep) configuration() []*twinNode {
	if s.before != nil {
		return s.before
	}
	return s.is.active
}

// stateIn is 3.12.5.
func (s *twinStep) stateIn(v value.Value) bool {
	if id := v.Text(); strings.HasPrefix(id, "#") {
		return slices.Contains(s.configuration(), s.target(s.root, id))
	}
	active := s.configuration()
	if s.starting {
		active = append([]*twinNode{s.root}, s.initial...)
	}
	return isPart(asStateValue(v), s.stateValue(s.root, active))
}

// asStateValue makes a state value of a path.
func asStateValue(v value.Value) value.Value {
	key, rest, deeper := strings.Cut(v.Text(), ".")
	if v.Kind() != value.Text || !deeper {
		return v
	}
	return value.OfObject(value.Member{Key: key, Value: asStateValue(value.OfText(rest))})
}

// isPart reports whether a state value is a part of another one.
func isPart(part, of value.Value) bool {
	switch {
	case part.Kind() == value.Text && of.Kind() == value.Text:
		return part.Text() == of.Text()
	case part.Kind() == value.Text:
		return of.Has(part.Text())
	case of.Kind() == value.Text:
		return false
	}
	for i := range part.Len() {
		key, x := part.Member(i)
		if !of.Has(key) || !isPart(asStateValue(x), of.Get(key)) {
			return false
		}
	}
	return true
}

// stateValue is 3.2.3.
func (s *twinStep) stateValue(n *twinNode, active []*twinNode) value.Value {
	out := value.OfObject()
	for _, c := range n.children {
		if !slices.Contains(active, c) {
			continue
		}
		if n.Type == syntax.Compound && c.isLeaf() {
			return value.OfText(c.Key)
		}
		out = out.With(c.Key, s.stateValue(c, active))
	}
	return out
}

// scope is what expressions see.
func (s *twinStep) scope() *expr.Scope {
	parent := value.NullValue
	if s.self.Parent != "" {
		parent = value.OfText(s.self.Parent)
	}
	return &expr.Scope{
		Context: s.is.context, Event: s.event.Data, Params: s.params, Input: s.input, Now: int64(s.is.now) / 1000,
		Self: value.OfObject(
			value.Member{Key: "id", Value: value.OfText(s.self.ID)},
			value.Member{Key: "definition", Value: value.OfText(s.self.Definition)},
			value.Member{Key: "version", Value: value.OfInt(int64(s.self.Version))},
			value.Member{Key: "parent", Value: parent},
		),
		InState: func(id string) (bool, error) { return slices.Contains(s.configuration(), s.target(s.root, id)), nil },
		HasTag: func(tag string) bool {
			return slices.ContainsFunc(s.configuration(), func(n *twinNode) bool { return slices.Contains(n.Tags, tag) })
		},
	}
}

// code evaluates a code position, data a data position.
func (s *twinStep) code(v value.Value) value.Value {
	switch v.Kind() {
	case value.Text:
		out, err := s.program(v.Text()).Eval(s.scope())
		if err != nil {
			panic(twinFailure(machine.ExpressionFailure))
		}
		return out
	case value.Array, value.Object:
		return s.data(v)
	default:
		return v
	}
}

func (s *twinStep) data(v value.Value) value.Value {
	if v.IsAbsent() {
		return v
	}
	out, err := s.template(v).Eval(s.scope())
	if err != nil {
		panic(twinFailure(machine.ExpressionFailure))
	}
	return out
}

// program and template compile an expression once: to compile it is all that is slow here.
func (w *twin) program(source string) *expr.Program {
	p, known := w.programs[source]
	if !known {
		var err error
		p, err = expr.Compile(source, expr.Everywhere|expr.Params|expr.Input)
		must(err)
		w.programs[source] = p
	}
	return p
}

func (w *twin) template(v value.Value) *expr.Template {
	t, known := w.templates[v.String()]
	if !known {
		var faults []expr.TemplateFault
		if t, faults = expr.CompileTemplate(v, expr.Everywhere|expr.Params|expr.Input); len(faults) > 0 {
			panic(faults[0].Message)
		}
		w.templates[v.String()] = t
	}
	return t
}

// text evaluates a data position that must give text, event one that must give an event.
func (s *twinStep) text(v value.Value) string {
	out := s.data(v)
	if out.Kind() != value.Text && !out.IsAbsent() {
		panic(twinFailure(machine.ExpressionFailure))
	}
	return out.Text()
}

func (s *twinStep) eventOf(v value.Value) value.Value {
	out := s.data(v)
	if out.Get("type").Text() == "" {
		panic(twinFailure(machine.ExpressionFailure))
	}
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
