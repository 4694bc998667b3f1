// Package value holds exact JSON values: what contexts, events, inputs and outputs are made of.
//
// A [Value] is immutable and small (24 bytes, no allocation for null, booleans and numbers), so
// that snapshots share their parts and a guard is evaluated without garbage. Integers are 64 bit
// and exact; every other number is a double. Objects keep the order of their keys, so that the same
// input gives the same bytes on every host.
//
// # Text and back
//
// [Parse] is strict, because what it lets in is written to Postgres and read by others: a text that
// two readers could take for different things (duplicate keys, lone surrogates, numbers that round
// silently) is refused with the place. [Value.AppendJSON] is canonical: a value has one text, and
// Parse of it gives the value back, of the same kind in every part. Two numbers of one worth have one
// kind ([OfFloat]), unless they are whole doubles beyond 2^53, which are written with an exponent, as
// only integers are written without.
//
// # Memory
//
// A parsed value owns one copy of its text, of which all its keys and texts are slices, and slabs of
// elements: keeping a part keeps the whole alive. That suits a document or an event, which is read and
// dropped as one. A snapshot is kept for long: what a [Reader] reads owns what it keeps and no more, and
// shares with an example what the two have in common. Changed objects share the rest with what they
// were changed from.
//
// The package imports the standard library only, reads no clock and starts nothing.
package value

import (
	"errors"
	"math"
	"unsafe"
)

// Kind tells what a Value holds.
type Kind uint8

// The kinds. Absent is the zero Value: there is no value at all. Expressions see it as null, and it
// is written as null, but an output or a payload that is Absent was never given.
const (
	Absent Kind = iota
	Null
	Bool
	Int
	Float
	Text
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "boolean", "integer", "number", "text", "array", "object"}

// String names the kind as error messages do.
func (k Kind) String() string { return kindNames[k] }

// Value is one JSON value. The zero Value is Absent.
//
// Scalars live in num. A text keeps its length in num and its bytes behind ptr; an array keeps its
// length in num and its elements behind ptr; so does an object with its members, see object.go.
//
// Values do not compare with ==, which would look at the pointers: use [Equal].
type Value struct {
	_    [0]func()
	kind Kind
	num  uint64
	ptr  unsafe.Pointer
}

// NullValue is JSON's null.
var NullValue = Value{kind: Null}

// OfBool returns the boolean b.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// OfInt returns the integer i.
func OfInt(i int64) Value { return Value{kind: Int, num: uint64(i)} }

// maxExact is the largest magnitude up to which every double that is whole is written without an
// exponent, and so read back as an integer.
const maxExact = 1 << 53

// ErrNotFinite is returned for NaN and infinities, which JSON does not have.
var ErrNotFinite = errors.New("not a finite number")

// OfFloat returns the number f. A whole number of magnitude up to 2^53 becomes an integer, so that
// a value does not change its kind by being written and read back; -0 becomes 0.
// It returns ErrNotFinite for NaN and infinities.
func OfFloat(f float64) (Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}, ErrNotFinite
	}
	if f == math.Trunc(f) && math.Abs(f) <= maxExact {
		return OfInt(int64(f)), nil
	}
	return Value{kind: Float, num: math.Float64bits(f)}, nil
}

// OfText returns the text s, which must be valid UTF-8 without NUL: what [Parse] would accept.
func OfText(s string) Value {
	return Value{kind: Text, num: uint64(len(s)), ptr: unsafe.Pointer(unsafe.StringData(s))}
}

// OfArray returns an array of the elements, which it keeps: the caller must not change them later.
func OfArray(elems []Value) Value {
	return Value{kind: Array, num: uint64(len(elems)), ptr: unsafe.Pointer(unsafe.SliceData(elems))}
}

// Kind returns what v holds.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent reports whether there is no value at all.
func (v Value) IsAbsent() bool { return v.kind == Absent }

// IsNull reports whether v is null or absent.
func (v Value) IsNull() bool { return v.kind <= Null }

// Bool returns the boolean that v holds, false for any other kind.
func (v Value) Bool() bool { return v.kind == Bool && v.num == 1 }

// Int returns the integer that v holds, 0 for any other kind.
func (v Value) Int() int64 {
	if v.kind != Int {
		return 0
	}
	return int64(v.num)
}

// Number returns v as a double and reports whether v is a number at all.
func (v Value) Number() (float64, bool) {
	switch v.kind {
	case Int:
		return float64(int64(v.num)), true
	case Float:
		return math.Float64frombits(v.num), true
	default:
		return 0, false
	}
}

// Text returns the text that v holds, "" for any other kind.
func (v Value) Text() string {
	if v.kind != Text {
		return ""
	}
	return unsafe.String((*byte)(v.ptr), int(v.num))
}

// Len returns the number of elements of an array, of members of an object, of bytes of a text, and 0 otherwise.
func (v Value) Len() int {
	switch v.kind {
	case Object, Array, Text:
		return int(v.num)
	default:
		return 0
	}
}

// Elems returns the elements of an array, nil for any other kind. The caller must not change them.
func (v Value) Elems() []Value {
	if v.kind != Array {
		return nil
	}
	return unsafe.Slice((*Value)(v.ptr), int(v.num))
}
