package expr

import (
	"cmp"

	"github.com/detent-run/detent/internal/machine/value"
)

// logical is `a && b` and `a || b`. The right side is evaluated only when it decides.
type logical struct {
	leftAt, rightAt span
	left, right     node
	or              bool
}

func (l *logical) eval(s *Scope) (value.Value, error) {
	v, err := l.left.eval(s)
	if err != nil {
		return v, err
	}
	if v.Kind() != value.Bool {
		return v, locate(need("a boolean", v), l.leftAt)
	}
	if v.Bool() == l.or {
		return v, nil
	}
	if v, err = l.right.eval(s); err != nil {
		return v, err
	}
	if v.Kind() != value.Bool {
		return v, locate(need("a boolean", v), l.rightAt)
	}
	return v, nil
}

// not is `!a` and `not a`.
type not struct {
	at   span
	node node
}

func (n *not) eval(s *Scope) (value.Value, error) {
	v, err := n.node.eval(s)
	if err != nil {
		return v, err
	}
	if v.Kind() != value.Bool {
		return v, locate(need("a boolean", v), n.at)
	}
	return value.OfBool(!v.Bool()), nil
}

// sign is `-a` and `+a`.
type sign struct {
	at     span
	node   node
	negate bool
}

func (n *sign) eval(s *Scope) (value.Value, error) {
	v, err := n.node.eval(s)
	if err != nil {
		return v, err
	}
	if n.negate {
		v, err = negate(v)
		return v, locate(err, n.at)
	}
	if !isNumber(v) {
		return v, locate(need("a number for +", v), n.at)
	}
	return v, nil
}

// coalesce is `a ?? b`.
type coalesce struct{ left, right node }

func (c *coalesce) eval(s *Scope) (value.Value, error) {
	v, err := c.left.eval(s)
	if err != nil || !v.IsNull() {
		return v, err
	}
	return c.right.eval(s)
}

// equality is `a == b` and `a != b`.
type equality struct {
	at          span
	left, right node
	differ      bool
}

func (e *equality) eval(s *Scope) (value.Value, error) {
	a, err := e.left.eval(s)
	if err != nil {
		return a, err
	}
	b, err := e.right.eval(s)
	if err != nil {
		return b, err
	}
	equal, err := s.equal(a, b)
	if err != nil {
		return b, locate(err, e.at)
	}
	return value.OfBool(equal != e.differ), nil
}

// equal is value.Equal within the budget: values may be large, and a predicate may compare them
// again and again.
func (s *Scope) equal(a, b value.Value) (bool, error) {
	if a.Kind() != b.Kind() || a.Len() != b.Len() {
		return value.Equal(a, b), nil // scalars, or false
	}
	switch a.Kind() {
	case value.Text:
		if a.Len() >= 64 {
			if err := s.scan(a.Text()); err != nil {
				return false, err
			}
		}
	case value.Array, value.Object:
		return s.equalParts(a, b)
	}
	return value.Equal(a, b), nil
}

func (s *Scope) equalParts(a, b value.Value) (bool, error) {
	if err := s.work(1 + a.Len()); err != nil {
		return false, err
	}
	for i := range a.Len() {
		var x, y value.Value
		if a.Kind() == value.Array {
			x, y = a.Elems()[i], b.Elems()[i]
		} else {
			var key string
			if key, x = a.Member(i); !b.Has(key) {
				return false, nil
			}
			y = b.Get(key)
		}
		if equal, err := s.equal(x, y); err != nil || !equal {
			return false, err
		}
	}
	return true, nil
}

// order is `a < b` and its kin: holds says for which results of a comparison (-1, 0, 1) it is true.
type order struct {
	at          span
	left, right node
	holds       [3]bool
}

// orders are the comparison operators.
var orders = map[string][3]bool{
	"<":  {true, false, false},
	"<=": {true, true, false},
	">":  {false, false, true},
	">=": {false, true, true},
}

func (o *order) eval(s *Scope) (value.Value, error) {
	a, err := o.left.eval(s)
	if err != nil {
		return a, err
	}
	b, err := o.right.eval(s)
	if err != nil {
		return b, err
	}
	if a.Kind() == value.Int && b.Kind() == value.Int {
		return value.OfBool(o.holds[cmp.Compare(a.Int(), b.Int())+1]), nil
	}
	c, err := s.compare(a, b)
	if err != nil {
		return b, locate(err, o.at)
	}
	return value.OfBool(o.holds[c+1]), nil
}

// operation is an operator that needs both sides and gives a value or a failure.
type operation struct {
	at          span
	left, right node
	apply       func(s *Scope, a, b value.Value) (value.Value, error)
}

// operations are the operators that are functions of two values.
var operations = map[string]func(s *Scope, a, b value.Value) (value.Value, error){
	"+": (*Scope).add, "-": (*Scope).subtract, "*": (*Scope).multiply, "/": (*Scope).divide, "%": (*Scope).modulo,
	"**": (*Scope).power, "^": (*Scope).power, "in": (*Scope).in, "..": (*Scope).rangeOf,
	"contains": (*Scope).contains, "startsWith": (*Scope).startsWith, "endsWith": (*Scope).endsWith, "matches": (*Scope).matches,
}

func (o *operation) eval(s *Scope) (value.Value, error) {
	a, err := o.left.eval(s)
	if err != nil {
		return a, err
	}
	b, err := o.right.eval(s)
	if err != nil {
		return b, err
	}
	v, err := o.apply(s, a, b)
	return v, locate(err, o.at)
}

// in is `x in array` and `key in object`. Nothing is in null.
func (s *Scope) in(x, of value.Value) (value.Value, error) {
	switch of.Kind() {
	case value.Null:
		return value.OfBool(false), nil
	case value.Object:
		if x.Kind() != value.Text {
			return x, need("a text for a key", x)
		}
		return value.OfBool(of.Has(x.Text())), nil
	case value.Array:
		for i, e := range of.Elems() {
			equal, err := s.equal(x, e)
			if err != nil {
				return x, err
			}
			if equal {
				return value.OfBool(true), s.work(i)
			}
		}
		return value.OfBool(false), s.work(of.Len())
	default:
		return x, need("an array or an object to look into", of)
	}
}

// rangeOf is `from..to`, both included.
func (s *Scope) rangeOf(from, to value.Value) (value.Value, error) {
	x, err := integer(from)
	if err != nil {
		return from, err
	}
	y, err := integer(to)
	if err != nil {
		return to, err
	}
	if y < x {
		return value.OfArray(nil), nil
	}
	// Unsigned, because the distance of two integers may not fit one.
	if uint64(y)-uint64(x) >= MaxMemory/elemSize {
		return to, failf("the range %d..%d is too long", x, y)
	}
	n := int(y-x) + 1
	elems, err := s.newArray(n)
	if err != nil {
		return to, err
	}
	for i := range n {
		elems = append(elems, value.OfInt(x+int64(i)))
	}
	return value.OfArray(elems), nil
}

// inRange is `x in from..to` without the array.
type inRange struct {
	at          span
	x, from, to node
}

func (r *inRange) eval(s *Scope) (value.Value, error) {
	x, err := r.x.eval(s)
	if err != nil {
		return x, err
	}
	var bounds [2]int64
	for i, n := range [...]node{r.from, r.to} {
		v, err := n.eval(s)
		if err != nil {
			return v, err
		}
		if bounds[i], err = integer(v); err != nil {
			return v, locate(err, r.at)
		}
	}
	i, err := integer(x)
	return value.OfBool(err == nil && bounds[0] <= i && i <= bounds[1]), nil
}
