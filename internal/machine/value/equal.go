package value

import "math"

// Equal reports whether a and b are the same JSON value, whatever the order of keys. Numbers are
// compared by what they are worth, exactly: 1 and 1.0 are equal, and so are 10^18 and 1e18. Absent
// counts as null, which it is written as.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return (a.kind == Int && b.kind == Float && sameNumber(a, b)) ||
			(a.kind == Float && b.kind == Int && sameNumber(b, a)) ||
			(a.IsNull() && b.IsNull())
	}
	switch a.kind {
	case Bool, Int, Float: // never NaN or -0, so that equal doubles have equal bits
		return a.num == b.num
	case Text:
		return a.Text() == b.Text()
	case Array:
		return equalArrays(a, b)
	case Object:
		return equalObjects(a, b)
	default:
		return true
	}
}

// sameNumber compares in integers: a conversion to double would round.
func sameNumber(i, f Value) bool {
	x := math.Float64frombits(f.num)
	return x == math.Trunc(x) && x >= math.MinInt64 && x < -math.MinInt64 && int64(x) == i.Int()
}

func equalArrays(a, b Value) bool {
	x, y := a.Elems(), b.Elems()
	if len(x) != len(y) {
		return false
	}
	if a.ptr == b.ptr {
		return true
	}
	for i := range x {
		if !Equal(x[i], y[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a, b Value) bool {
	if a.ptr == b.ptr {
		return true
	}
	if a.num != b.num {
		return false
	}
	x, y, keys, others := a.members(), b.members(), a.shape(), b.shape()
	for i, key := range keys.keys {
		j := i // the same order is the common case
		if keys != others && others.keys[i] != key {
			if j = others.find(key); j < 0 {
				return false
			}
		}
		if !Equal(x[i], y[j]) {
			return false
		}
	}
	return true
}
