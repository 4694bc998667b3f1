package expr

import "github.com/detent-run/detent/internal/machine/value"

// node is a compiled part of an expression. It evaluates itself and never gives Absent.
// An error is a *failure that is located, or errShort.
type node interface {
	eval(s *Scope) (value.Value, error)
}

// constant is a value that is known when the expression is compiled.
type constant struct{ value value.Value }

func (c *constant) eval(*Scope) (value.Value, error) { return c.value, nil }

// local reads what a let or a predicate has put into its slot.
type local struct{ slot int }

func (l *local) eval(s *Scope) (value.Value, error) { return s.locals[l.slot], nil }

// let is `let x = value; body`.
type let struct {
	slot        int
	value, body node
}

func (l *let) eval(s *Scope) (value.Value, error) {
	v, err := l.value.eval(s)
	if err != nil {
		return v, err
	}
	s.locals[l.slot] = v
	return l.body.eval(s)
}

// sequence is `a; b`: all are evaluated, the last one counts.
type sequence struct{ nodes []node }

func (q *sequence) eval(s *Scope) (v value.Value, err error) {
	for _, n := range q.nodes {
		if v, err = n.eval(s); err != nil {
			return v, err
		}
	}
	return v, nil
}

// conditional is `cond ? yes : no` and `if cond { yes } else { no }`.
type conditional struct {
	at            span // of cond
	cond, yes, no node
}

func (c *conditional) eval(s *Scope) (value.Value, error) {
	v, err := c.cond.eval(s)
	if err != nil {
		return v, err
	}
	if v.Kind() != value.Bool {
		return v, locate(need("a boolean", v), c.at)
	}
	if v.Bool() {
		return c.yes.eval(s)
	}
	return c.no.eval(s)
}

// arrayLiteral is `[a, b]`.
type arrayLiteral struct {
	at    span
	nodes []node
}

func (a *arrayLiteral) eval(s *Scope) (value.Value, error) {
	elems, err := s.newArray(len(a.nodes))
	if err != nil {
		return value.Value{}, locate(err, a.at)
	}
	for _, n := range a.nodes {
		v, err := n.eval(s)
		if err != nil {
			return v, err
		}
		elems = append(elems, v)
	}
	return value.OfArray(elems), nil
}

// pair is a key and a value of an object literal. The key is a text or an expression that gives one.
type pair struct {
	at         span // of the key
	key, value node
}

// objectLiteral is `{a: 1, (key): 2}`.
type objectLiteral struct {
	at    span
	pairs []pair
}

func (o *objectLiteral) eval(s *Scope) (value.Value, error) {
	if err := s.charge(len(o.pairs), memberSize); err != nil {
		return value.Value{}, locate(err, o.at)
	}
	members := make([]value.Member, 0, len(o.pairs))
	for _, p := range o.pairs {
		key, err := p.key.eval(s)
		if err != nil {
			return key, err
		}
		if key.Kind() != value.Text {
			return key, locate(need("a text for a key", key), p.at)
		}
		v, err := p.value.eval(s)
		if err != nil {
			return v, err
		}
		members = append(members, value.Member{Key: key.Text(), Value: v})
	}
	object := value.OfObject(members...)
	if object.Len() < len(members) {
		return object, locate(failf("one key is there twice"), o.at)
	}
	return object, nil
}
