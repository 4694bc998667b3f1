package expr

import (
	"github.com/detent-run/detent/internal/machine/value"
)

func length(s *Scope, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Text, value.Array, value.Object:
		n, err := s.length(v)
		return value.OfInt(int64(n)), err
	default:
		return v, need("a text, an array or an object", v)
	}
}

// typeName uses expr-lang's names of kinds.
func typeName(_ *Scope, v value.Value) (value.Value, error) {
	names := [...]string{
		value.Absent: "nil", value.Null: "nil", value.Bool: "bool", value.Int: "int", value.Float: "float",
		value.Text: "string", value.Array: "array", value.Object: "map",
	}
	return value.OfText(names[v.Kind()]), nil
}

// end returns the element at an end of an array, null when it is empty.
func end(v value.Value, at func(n int) int) (value.Value, error) {
	if v.Kind() != value.Array {
		return v, need("an array", v)
	}
	if v.Len() == 0 {
		return value.NullValue, nil
	}
	return orNull(v.Elems()[at(v.Len())]), nil
}

func first(_ *Scope, v value.Value) (value.Value, error) {
	return end(v, func(int) int { return 0 })
}

func last(_ *Scope, v value.Value) (value.Value, error) {
	return end(v, func(n int) int { return n - 1 })
}

// get is base[key] that gives null for what is not there.
func get(s *Scope, base, key value.Value) (value.Value, error) {
	if base.IsNull() {
		return value.NullValue, nil
	}
	v, found, err := s.lookup(base, key)
	if err != nil || !found {
		return value.NullValue, err
	}
	return orNull(v), nil
}

func take(_ *Scope, v, count value.Value) (value.Value, error) {
	if v.Kind() != value.Array {
		return v, need("an array", v)
	}
	n, err := integer(count)
	if err != nil {
		return count, err
	}
	if n < 0 {
		return count, failf("%d elements cannot be taken", n)
	}
	n = min(n, int64(v.Len()))
	return value.OfArray(v.Elems()[:n:n]), nil
}

// copyOf returns the elements of an array for a result of their number.
func (s *Scope) copyOf(v value.Value) ([]value.Value, error) {
	if v.Kind() != value.Array {
		return nil, need("an array", v)
	}
	elems, err := s.newArray(v.Len())
	if err != nil {
		return nil, err
	}
	return append(elems, v.Elems()...), nil
}

func reverse(s *Scope, v value.Value) (value.Value, error) {
	elems, err := s.copyOf(v)
	for i, j := 0, len(elems)-1; i < j; i, j = i+1, j-1 {
		elems[i], elems[j] = elems[j], elems[i]
	}
	return value.OfArray(elems), err
}

func concat(s *Scope, args []value.Value) (value.Value, error) {
	n := 0
	for _, v := range args {
		if v.Kind() != value.Array {
			return v, need("an array", v)
		}
		n += v.Len()
	}
	elems, err := s.newArray(n)
	if err != nil {
		return value.Value{}, err
	}
	for _, v := range args {
		elems = append(elems, v.Elems()...)
	}
	return value.OfArray(elems), nil
}

func flatten(s *Scope, v value.Value) (value.Value, error) {
	if v.Kind() != value.Array {
		return v, need("an array", v)
	}
	elems, err := s.flattenInto(nil, v)
	return value.OfArray(elems), err
}

func (s *Scope) flattenInto(elems []value.Value, v value.Value) ([]value.Value, error) {
	if err := s.charge(1+v.Len(), elemSize); err != nil {
		return nil, err
	}
	var err error
	for _, e := range v.Elems() {
		if e.Kind() != value.Array {
			elems = append(elems, e)
		} else if elems, err = s.flattenInto(elems, e); err != nil {
			return nil, err
		}
	}
	return elems, nil
}

// scalar is a value that is not an array or an object, in a form that equal ones share.
type scalar struct {
	kind value.Kind
	num  float64
	i    int64
	text string
}

func scalarOf(v value.Value) (scalar, bool) {
	switch v.Kind() {
	case value.Array, value.Object:
		return scalar{}, false
	case value.Float:
		f, _ := v.Number()
		if i, ok := wholeInt(f); ok { // 1e18 equals the integer
			return scalar{kind: value.Int, i: i}, true
		}
		return scalar{kind: value.Float, num: f}, true
	case value.Bool:
		if v.Bool() {
			return scalar{kind: value.Bool, i: 1}, true
		}
		return scalar{kind: value.Bool}, true
	default:
		return scalar{kind: v.Kind(), i: v.Int(), text: v.Text()}, true
	}
}

// uniq keeps the first of equal elements. Arrays and objects are compared one by one.
func uniq(s *Scope, v value.Value) (value.Value, error) {
	if v.Kind() != value.Array {
		return v, need("an array", v)
	}
	if err := s.charge(v.Len(), elemSize+memberSize); err != nil {
		return v, err
	}
	seen := make(map[scalar]bool)
	var elems, large []value.Value
	for _, e := range v.Elems() {
		if key, ok := scalarOf(e); ok {
			if !seen[key] {
				seen[key] = true
				elems = append(elems, e)
			}
			continue
		}
		found, err := s.in(e, value.OfArray(large))
		if err != nil {
			return v, err
		}
		if !found.Bool() {
			large, elems = append(large, e), append(elems, e)
		}
	}
	return value.OfArray(elems), nil
}

func sorted(s *Scope, args []value.Value) (value.Value, error) {
	if args[0].Kind() != value.Array {
		return args[0], need("an array", args[0])
	}
	descending := false
	if len(args) == 2 {
		var err error
		if descending, err = isDescending(args[1]); err != nil {
			return args[1], err
		}
	}
	elems := args[0].Elems()
	if err := s.charge(len(elems), 3*elemSize); err != nil {
		return args[0], err
	}
	items := make([]sortItem, len(elems))
	for i, e := range elems {
		items[i] = sortItem{key: e, elem: e}
	}
	return s.sort(items, descending)
}

// eachMember makes an array of what f makes of every member of an object.
func (s *Scope) eachMember(v value.Value, f func(key string, x value.Value) value.Value) (value.Value, error) {
	if v.Kind() != value.Object {
		return v, need("an object", v)
	}
	elems, err := s.newArray(v.Len())
	if err != nil {
		return v, err
	}
	for i := range v.Len() {
		key, x := v.Member(i)
		elems = append(elems, f(key, orNull(x)))
	}
	return value.OfArray(elems), nil
}

func keys(s *Scope, v value.Value) (value.Value, error) {
	return s.eachMember(v, func(key string, _ value.Value) value.Value { return value.OfText(key) })
}

func values(s *Scope, v value.Value) (value.Value, error) {
	return s.eachMember(v, func(_ string, x value.Value) value.Value { return x })
}

func toPairs(s *Scope, v value.Value) (value.Value, error) {
	if err := s.charge(v.Len(), 2*elemSize); err != nil {
		return v, err
	}
	return s.eachMember(v, func(key string, x value.Value) value.Value {
		return value.OfArray([]value.Value{value.OfText(key), x})
	})
}

// fromPairs makes an object of pairs; of two pairs of one key the later one counts.
func fromPairs(s *Scope, v value.Value) (value.Value, error) {
	if v.Kind() != value.Array {
		return v, need("an array of pairs", v)
	}
	if err := s.charge(v.Len(), memberSize); err != nil {
		return v, err
	}
	members := make([]value.Member, 0, v.Len())
	for _, e := range v.Elems() {
		if e.Kind() != value.Array || e.Len() != 2 || e.Elems()[0].Kind() != value.Text {
			return e, failf("fromPairs takes pairs [text, value], not %s", describe(e))
		}
		members = append(members, value.Member{Key: e.Elems()[0].Text(), Value: e.Elems()[1]})
	}
	return value.OfObject(members...), nil
}
