package value

import (
	"slices"
	"unsafe"
)

// Member is one key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

// An object is a run of values: a head, whose ptr is the object's shape, and behind it the members. One
// allocation holds both. The shape (the keys) is shared between versions of one object, so that changing
// a value copies the values only.

// newObject returns an object of that shape, and its members for the caller to fill in.
func newObject(s *shape) (Value, []Value) { return objectIn(make([]Value, len(s.keys)+1), s) }

// objectIn makes an object of a run that has room for the head and the members.
func objectIn(run []Value, s *shape) (Value, []Value) {
	run[0].ptr = unsafe.Pointer(s)
	return Value{kind: Object, num: uint64(len(run) - 1), ptr: unsafe.Pointer(&run[0])}, run[1:]
}

// noMembers is the object without members.
var noMembers, _ = newObject(&shape{})

// shape returns the shape of an object.
func (v Value) shape() *shape { return (*shape)((*Value)(v.ptr).ptr) }

// members returns the values of an object's members.
func (v Value) members() []Value { return unsafe.Slice((*Value)(v.ptr), int(v.num)+1)[1:] }

// shape is the ordered keys of an object. index is there for large objects only.
type shape struct {
	keys  []string
	index map[string]int
}

// indexFrom is the number of keys from which looking a key up in a map beats looking at each.
const indexFrom = 12

func newShape(keys []string) *shape {
	s := &shape{keys: keys}
	if len(keys) >= indexFrom {
		s.index = make(map[string]int, len(keys))
		for i, k := range keys {
			s.index[k] = i
		}
	}
	return s
}

func (s *shape) find(key string) int {
	if s.index != nil {
		if i, ok := s.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range s.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// OfObject returns an object of the members, in their order. Of two members of one key the later
// value stands at the earlier place.
func OfObject(members ...Member) Value {
	if len(members) == 0 {
		return noMembers
	}
	keys := make([]string, len(members))
	for i, m := range members {
		keys[i] = m.Key
	}
	s := newShape(keys)
	if s.repeats() {
		return withoutRepeats(members)
	}
	v, vals := newObject(s)
	for i, m := range members {
		vals[i] = m.Value
	}
	return v
}

// repeats reports whether a key is there twice.
func (s *shape) repeats() bool {
	if s.index != nil {
		return len(s.index) < len(s.keys)
	}
	for i, k := range s.keys {
		if slices.Contains(s.keys[:i], k) {
			return true
		}
	}
	return false
}

func withoutRepeats(members []Member) Value {
	var keys []string
	var vals []Value
	place := make(map[string]int, len(members))
	for _, m := range members {
		if i, ok := place[m.Key]; ok {
			vals[i] = m.Value
			continue
		}
		place[m.Key] = len(keys)
		keys, vals = append(keys, m.Key), append(vals, m.Value)
	}
	v, to := newObject(newShape(keys))
	copy(to, vals)
	return v
}

// Get returns the member of that key, Absent when v has none or is no object.
func (v Value) Get(key string) Value {
	if v.kind != Object {
		return Value{}
	}
	if i := v.shape().find(key); i >= 0 {
		return v.members()[i]
	}
	return Value{}
}

// Has reports whether v is an object with that key.
func (v Value) Has(key string) bool {
	return v.kind == Object && v.shape().find(key) >= 0
}

// Member returns the i-th member of an object, in the order of its keys. It panics when v has none.
func (v Value) Member(i int) (string, Value) {
	if v.kind != Object {
		panic("value: Member of a value that is " + v.kind.String())
	}
	return v.shape().keys[i], v.members()[i]
}

// With returns v with that member set: in its place when v has the key, at the end otherwise.
// A v that is no object counts as an empty one.
func (v Value) With(key string, x Value) Value {
	if v.kind != Object {
		return OfObject(Member{key, x})
	}
	shape := v.shape()
	i := shape.find(key)
	if i < 0 {
		i = len(shape.keys)
		shape = newShape(append(shape.keys[:i:i], key))
	}
	changed, vals := newObject(shape)
	copy(vals, v.members())
	vals[i] = x
	return changed
}

// WithAll returns v with the members set one after the other, and copies v once if it has their keys.
func (v Value) WithAll(members []Member) Value {
	if v.kind != Object || len(members) < 2 {
		return v.withEach(members)
	}
	shape := v.shape()
	changed, vals := newObject(shape)
	copy(vals, v.members())
	for _, m := range members {
		i := shape.find(m.Key)
		if i < 0 {
			return v.withEach(members)
		}
		vals[i] = m.Value
	}
	return changed
}

func (v Value) withEach(members []Member) Value {
	for _, m := range members {
		v = v.With(m.Key, m.Value)
	}
	return v
}
