package expr

import (
	"errors"
	"unicode/utf8"

	"github.com/detent-run/detent/internal/machine/value"
)

// errShort is what a ?. after null ends the rest of its chain with.
var errShort = errors.New("the chain has ended in null")

// chain is the extent of ?.: what follows null in it is skipped, and the whole is null.
type chain struct{ node node }

func (c *chain) eval(s *Scope) (value.Value, error) {
	v, err := c.node.eval(s)
	if err == errShort {
		return value.NullValue, nil
	}
	return v, err
}

// member is `base.key`.
type member struct {
	at, baseAt span
	base       node
	key        string
	optional   bool
}

func (m *member) eval(s *Scope) (value.Value, error) {
	base, err := m.base.eval(s)
	if err != nil {
		return base, err
	}
	if base.Kind() == value.Object {
		return orNull(base.Get(m.key)), nil
	}
	if m.optional && base.IsNull() {
		return base, errShort
	}
	is := "is " + describe(base) + ", it"
	return base, &failure{at: m.at, located: true, subject: m.baseAt, message: is + " has no member `" + m.key + "`"}
}

// index is `base[key]`.
type index struct {
	at, baseAt span
	base, key  node
	optional   bool
}

func (x *index) eval(s *Scope) (value.Value, error) {
	base, err := x.base.eval(s)
	if err != nil {
		return base, err
	}
	if x.optional && base.IsNull() {
		return base, errShort
	}
	key, err := x.key.eval(s)
	if err != nil {
		return key, err
	}
	if base.IsNull() {
		return base, &failure{at: x.at, located: true, subject: x.baseAt, message: "is null, it has no elements"}
	}
	v, found, err := s.lookup(base, key)
	if err != nil {
		return v, locate(err, x.at)
	}
	if !found && base.Kind() != value.Object {
		return v, locate(failf("the index %s is out of range", key), x.at)
	}
	return orNull(v), nil
}

// lookup returns an element of an array by its index, a member of an object by its key, or a
// character of a text. Negative indexes count from the end.
func (s *Scope) lookup(base, key value.Value) (v value.Value, found bool, err error) {
	switch base.Kind() {
	case value.Object:
		if key.Kind() != value.Text {
			return v, false, need("a text for a key", key)
		}
		v = base.Get(key.Text())
		return v, !v.IsAbsent(), nil
	case value.Array, value.Text:
		i, err := integer(key)
		if err != nil {
			return v, false, err
		}
		n, err := s.length(base)
		if err != nil {
			return v, false, err
		}
		if i < 0 {
			i += int64(n)
		}
		if i < 0 || i >= int64(n) {
			return v, false, nil
		}
		if base.Kind() == value.Array {
			return base.Elems()[i], true, nil
		}
		v, err = s.characters(base.Text(), int(i), int(i)+1)
		return v, err == nil, err
	default:
		return v, false, need("an array, an object or a text", base)
	}
}

// length counts what len counts: elements, members or characters.
func (s *Scope) length(v value.Value) (int, error) {
	if v.Kind() != value.Text {
		return v.Len(), nil
	}
	// Decoding is slower than looking for bytes.
	return utf8.RuneCountInString(v.Text()), s.work(1 + v.Len()/4)
}

// characters returns the part of a text from a character up to another.
func (s *Scope) characters(text string, from, to int) (value.Value, error) {
	if err := s.scan(text); err != nil {
		return value.Value{}, err
	}
	if utf8.RuneCountInString(text) == len(text) {
		return value.OfText(text[from:to]), nil
	}
	start := byteOffset(text, from)
	return value.OfText(text[start : start+byteOffset(text[start:], to-from)]), nil
}

// slice is `base[from:to]`, of an array or a text. Bounds beyond the ends mean the ends.
type slice struct {
	at       span
	base     node
	from, to node // nil is the end on that side
}

func (x *slice) eval(s *Scope) (value.Value, error) {
	base, err := x.base.eval(s)
	if err != nil {
		return base, err
	}
	if base.Kind() != value.Array && base.Kind() != value.Text {
		return base, locate(need("an array or a text", base), x.at)
	}
	n, err := s.length(base)
	if err != nil {
		return base, locate(err, x.at)
	}
	to, err := x.bound(s, x.to, n, n)
	if err != nil {
		return base, err
	}
	from, err := x.bound(s, x.from, 0, n)
	if err != nil {
		return base, err
	}
	from = min(from, to)
	if base.Kind() == value.Array {
		return value.OfArray(base.Elems()[from:to:to]), nil
	}
	v, err := s.characters(base.Text(), from, to)
	return v, locate(err, x.at)
}

// bound evaluates one end of the slice and brings it into 0..n.
func (x *slice) bound(s *Scope, n node, absent, length int) (int, error) {
	if n == nil {
		return absent, nil
	}
	v, err := n.eval(s)
	if err != nil {
		return 0, err
	}
	i, err := integer(v)
	if err != nil {
		return 0, locate(err, x.at)
	}
	if i < 0 {
		i += int64(length)
	}
	return int(min(max(i, 0), int64(length))), nil
}
