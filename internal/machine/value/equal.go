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
		return equalObjects(a.obj(), b.obj())
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
	for i := range x {
		if !Equal(x[i], y[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a, b *object) bool {
	if a == b {
		return true
	}
	if len(a.vals) != len(b.vals) {
		return false
	}
	for i, key := range a.shape.keys {
		j := i // the same order is the common case
		if a.shape != b.shape && b.shape.keys[i] != key {
			if j = b.shape.find(key); j < 0 {
				return false
			}
		}
		if !Equal(a.vals[i], b.vals[j]) {
			return false
		}
	}
	return true
}
