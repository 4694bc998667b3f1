package expr

import (
	"slices"

	"github.com/detent-run/detent/internal/machine/value"
)

// loop is what all collection functions share: an array, and an expression that is evaluated for its
// elements. The element (#) stands in slot, its index (#index) in the slot after it, and of reduce
// the accumulator (#acc) in the one after that.
type loop struct {
	at, bodyAt span
	over       node
	body       node // nil in count(xs) and sum(xs): the element itself
	slot       int
}

// elems evaluates the array.
func (l *loop) elems(s *Scope) ([]value.Value, error) {
	v, err := l.over.eval(s)
	if err != nil {
		return nil, err
	}
	if v.Kind() != value.Array {
		return nil, locate(need("an array", v), l.at)
	}
	return v.Elems(), nil
}

// step evaluates the body for one element.
func (l *loop) step(s *Scope, i int, elem value.Value) (value.Value, error) {
	if err := s.tick(); err != nil {
		return elem, locate(err, l.at)
	}
	if l.body == nil {
		return elem, nil
	}
	s.locals[l.slot] = elem
	s.locals[l.slot+1] = value.OfInt(int64(i))
	return l.body.eval(s)
}

// holds evaluates the body as a condition.
func (l *loop) holds(s *Scope, i int, elem value.Value) (bool, error) {
	v, err := l.step(s, i, elem)
	if err != nil {
		return false, err
	}
	if v.Kind() != value.Bool {
		return false, locate(need("a boolean", v), l.bodyAt)
	}
	return v.Bool(), nil
}

// quantifier is all, none and any: the first element for which the predicate is stop decides.
type quantifier struct {
	loop
	stop, found bool
}

func (q *quantifier) eval(s *Scope) (value.Value, error) {
	elems, err := q.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	for i, e := range elems {
		holds, err := q.holds(s, i, e)
		if err != nil {
			return e, err
		}
		if holds == q.stop {
			return value.OfBool(q.found), nil
		}
	}
	return value.OfBool(!q.found), nil
}

// count is count, and one when exactly is set.
type count struct {
	loop
	one bool
}

func (c *count) eval(s *Scope) (value.Value, error) {
	elems, err := c.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	n := int64(0)
	for i, e := range elems {
		holds, err := c.holds(s, i, e)
		if err != nil {
			return e, err
		}
		if holds {
			n++
		}
	}
	if c.one {
		return value.OfBool(n == 1), nil
	}
	return value.OfInt(n), nil
}

// filter is filter: the elements for which the predicate holds.
type filter struct{ loop }

func (f *filter) eval(s *Scope) (value.Value, error) {
	elems, err := f.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	var kept []value.Value
	for i, e := range elems {
		holds, err := f.holds(s, i, e)
		if err != nil {
			return e, err
		}
		if holds {
			kept = append(kept, e)
		}
	}
	return value.OfArray(kept), locate(s.charge(len(kept), elemSize), f.at)
}

// mapping is map: what the body gives for each element.
type mapping struct{ loop }

func (m *mapping) eval(s *Scope) (value.Value, error) {
	elems, err := m.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	out, err := s.newArray(len(elems))
	if err != nil {
		return value.Value{}, locate(err, m.at)
	}
	for i, e := range elems {
		v, err := m.step(s, i, e)
		if err != nil {
			return v, err
		}
		out = append(out, v)
	}
	return value.OfArray(out), nil
}

// find is find, findIndex, findLast and findLastIndex; null when there is none.
type find struct {
	loop
	last, index bool
}

func (f *find) eval(s *Scope) (value.Value, error) {
	elems, err := f.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	for n := range elems {
		i := n
		if f.last {
			i = len(elems) - 1 - n
		}
		holds, err := f.holds(s, i, elems[i])
		if err != nil {
			return elems[i], err
		}
		switch {
		case holds && f.index:
			return value.OfInt(int64(i)), nil
		case holds:
			return elems[i], nil
		}
	}
	return value.NullValue, nil
}

// sum is sum, of the elements or of what the body gives for them.
type sum struct{ loop }

func (m *sum) eval(s *Scope) (value.Value, error) {
	elems, err := m.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	total := value.OfInt(0)
	for i, e := range elems {
		v, err := m.step(s, i, e)
		if err != nil {
			return v, err
		}
		if total, err = s.add(v, total); err != nil {
			return v, locate(err, m.at)
		}
	}
	return total, nil
}

// reduce is reduce. Without an initial value the first element is the first accumulator.
type reduce struct {
	loop
	initial node // or nil
}

func (r *reduce) eval(s *Scope) (value.Value, error) {
	elems, err := r.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	var acc value.Value
	first := 0
	switch {
	case r.initial != nil:
		if acc, err = r.initial.eval(s); err != nil {
			return acc, err
		}
	case len(elems) == 0:
		return acc, locate(failf("reduce of an empty array needs an initial value"), r.at)
	default:
		acc, first = elems[0], 1
	}
	for i, e := range elems[first:] {
		s.locals[r.slot+2] = acc
		if acc, err = r.step(s, first+i, e); err != nil {
			return acc, err
		}
	}
	return acc, nil
}

// groupBy is groupBy: an object of arrays, whose keys are in order of first appearance.
type groupBy struct{ loop }

func (g *groupBy) eval(s *Scope) (value.Value, error) {
	elems, err := g.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	if err := s.charge(len(elems), elemSize+memberSize); err != nil {
		return value.Value{}, locate(err, g.at)
	}
	var keys []string
	groups := make(map[string][]value.Value)
	for i, e := range elems {
		v, err := g.step(s, i, e)
		if err != nil {
			return v, err
		}
		key, err := groupKey(v)
		if err != nil {
			return v, locate(err, g.bodyAt)
		}
		if _, ok := groups[key]; !ok {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], e)
	}
	members := make([]value.Member, len(keys))
	for i, key := range keys {
		members[i] = value.Member{Key: key, Value: value.OfArray(groups[key])}
	}
	return value.OfObject(members...), nil
}

// groupKey turns what elements are grouped by into a key.
func groupKey(v value.Value) (string, error) {
	switch v.Kind() {
	case value.Text:
		return v.Text(), nil
	case value.Int, value.Float, value.Bool:
		return v.String(), nil
	default:
		return "", need("a text, a number or a boolean to group by", v)
	}
}

// sortBy is sortBy: the elements in the order of what the body gives for them.
type sortBy struct {
	loop
	order   node // or nil: ascending
	orderAt span
}

func (b *sortBy) eval(s *Scope) (value.Value, error) {
	elems, err := b.elems(s)
	if err != nil {
		return value.Value{}, err
	}
	descending := false
	if b.order != nil {
		v, err := b.order.eval(s)
		if err != nil {
			return v, err
		}
		if descending, err = isDescending(v); err != nil {
			return v, locate(err, b.orderAt)
		}
	}
	if err := s.charge(len(elems), 3*elemSize); err != nil {
		return value.Value{}, locate(err, b.at)
	}
	keyed := make([]sortItem, 0, len(elems))
	for i, e := range elems {
		key, err := b.step(s, i, e)
		if err != nil {
			return key, err
		}
		keyed = append(keyed, sortItem{key, e})
	}
	v, err := s.sort(keyed, descending)
	return v, locate(err, b.at)
}

// sortItem is an element with the key that it is sorted by.
type sortItem struct{ key, elem value.Value }

// sort sorts stably. It ends early, in a failure, when two keys cannot be compared.
func (s *Scope) sort(items []sortItem, descending bool) (value.Value, error) {
	var failed error
	slices.SortStableFunc(items, func(a, b sortItem) int {
		if failed != nil {
			return 0
		}
		c, err := s.compare(a.key, b.key)
		if err == nil {
			err = s.work(1)
		}
		failed = err
		if descending {
			return -c
		}
		return c
	})
	elems := make([]value.Value, len(items))
	for i, item := range items {
		elems[i] = item.elem
	}
	return value.OfArray(elems), failed
}

func isDescending(v value.Value) (bool, error) {
	switch {
	case v.Kind() == value.Text && v.Text() == "asc":
		return false, nil
	case v.Kind() == value.Text && v.Text() == "desc":
		return true, nil
	default:
		return false, need("the order 'asc' or 'desc'", v)
	}
}
