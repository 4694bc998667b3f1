package value

import "slices"

// Sorted returns v with the keys of all its objects in the order of their bytes: two values that are
// Equal then have the same JSON text, but for the spelling of numbers.
func Sorted(v Value) Value {
	switch v.Kind() {
	case Array:
		elems := make([]Value, v.Len())
		for i, e := range v.Elems() {
			elems[i] = Sorted(e)
		}
		return OfArray(elems)
	case Object:
		members := make([]Member, v.Len())
		for i := range members {
			k, x := v.Member(i)
			members[i] = Member{Key: k, Value: Sorted(x)}
		}
		slices.SortFunc(members, func(a, b Member) int {
			switch {
			case a.Key < b.Key:
				return -1
			case a.Key > b.Key:
				return 1
			default:
				return 0
			}
		})
		return OfObject(members...)
	default:
		return v
	}
}
