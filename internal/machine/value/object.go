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

// object is an object's members. The shape (the keys) is shared between versions of one object, so
// that changing a value copies the values only.
type object struct {
	shape *shape
	vals  []Value
}

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

func (v Value) obj() *object { return (*object)(v.ptr) }

func ofObject(o *object) Value { return Value{kind: Object, ptr: unsafe.Pointer(o)} }

// OfObject returns an object of the members, in their order. Of two members of one key the later
// value stands at the earlier place.
func OfObject(members ...Member) Value {
	keys, vals := make([]string, 0, len(members)), make([]Value, 0, len(members))
	for _, m := range members {
		keys, vals = append(keys, m.Key), append(vals, m.Value)
	}
	s := newShape(keys)
	if s.repeats() {
		return withoutRepeats(members)
	}
	return ofObject(&object{shape: s, vals: vals})
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
	return ofObject(&object{shape: newShape(keys), vals: vals})
}

// Get returns the member of that key, Absent when v has none or is no object.
func (v Value) Get(key string) Value {
	if v.kind != Object {
		return Value{}
	}
	o := v.obj()
	if i := o.shape.find(key); i >= 0 {
		return o.vals[i]
	}
	return Value{}
}

// Has reports whether v is an object with that key.
func (v Value) Has(key string) bool {
	return v.kind == Object && v.obj().shape.find(key) >= 0
}

// Member returns the i-th member of an object, in the order of its keys. It panics when v has none.
func (v Value) Member(i int) (string, Value) {
	if v.kind != Object {
		panic("value: Member of a value that is " + v.kind.String())
	}
	o := v.obj()
	return o.shape.keys[i], o.vals[i]
}

// With returns v with that member set: in its place when v has the key, at the end otherwise.
// A v that is no object counts as an empty one.
func (v Value) With(key string, x Value) Value {
	if v.kind != Object {
		return OfObject(Member{key, x})
	}
	o := v.obj()
	if i := o.shape.find(key); i >= 0 {
		vals := append([]Value(nil), o.vals...)
		vals[i] = x
		return ofObject(&object{shape: o.shape, vals: vals})
	}
	n := len(o.vals)
	keys := append(o.shape.keys[:n:n], key)
	vals := append(o.vals[:n:n], x)
	return ofObject(&object{shape: newShape(keys), vals: vals})
}
