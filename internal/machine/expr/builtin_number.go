package expr

import (
	"math"
	"slices"
	"strconv"

	"github.com/detent-run/detent/internal/machine/value"
)

// toInteger cuts the fraction off, as its name in expr-lang says; everything else must be exact.
func toInteger(s *Scope, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int:
		return v, nil
	case value.Float:
		f, _ := v.Number()
		if i, ok := wholeInt(math.Trunc(f)); ok {
			return value.OfInt(i), nil
		}
		return v, failf("%s does not fit 64 bits", v)
	case value.Text:
		if err := s.scan(v.Text()); err != nil {
			return v, err
		}
		i, err := strconv.ParseInt(v.Text(), 10, 64)
		if err != nil {
			return v, failf("%s is no integer of 64 bits", describe(v))
		}
		return value.OfInt(i), nil
	default:
		return v, need("a number or a text", v)
	}
}

func toNumber(s *Scope, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int, value.Float:
		return v, nil
	case value.Text:
		if err := s.scan(v.Text()); err != nil {
			return v, err
		}
		f, err := strconv.ParseFloat(v.Text(), 64)
		if err != nil {
			return v, failf("%s is no number", describe(v))
		}
		return double(f)
	default:
		return v, need("a number or a text", v)
	}
}

func absolute(_ *Scope, v value.Value) (value.Value, error) {
	if !isNumber(v) {
		return v, need("a number", v)
	}
	if compareNumbers(v, value.OfInt(0)) < 0 {
		return negate(v)
	}
	return v, nil
}

func rounded(v value.Value, to func(float64) float64) (value.Value, error) {
	switch v.Kind() {
	case value.Int:
		return v, nil
	case value.Float:
		f, _ := v.Number()
		return double(to(f))
	default:
		return v, need("a number", v)
	}
}

func ceil(_ *Scope, v value.Value) (value.Value, error)  { return rounded(v, math.Ceil) }
func floor(_ *Scope, v value.Value) (value.Value, error) { return rounded(v, math.Floor) }

// round rounds halves away from zero.
func round(_ *Scope, v value.Value) (value.Value, error) { return rounded(v, math.Round) }

// numbers gathers the numbers of the arguments, which may be arrays of them, and of arrays.
func (s *Scope) numbers(into, from []value.Value) ([]value.Value, error) {
	if err := s.charge(len(from), elemSize); err != nil {
		return nil, err
	}
	for _, v := range from {
		var err error
		switch {
		case isNumber(v):
			into = append(into, v)
		case v.Kind() == value.Array:
			if into, err = s.numbers(into, v.Elems()); err != nil {
				return nil, err
			}
		default:
			return nil, need("a number or an array of numbers", v)
		}
	}
	return into, nil
}

// extreme returns the number that no other one surpasses in the direction, null when there is none.
func (s *Scope) extreme(args []value.Value, direction int) (value.Value, error) {
	all, err := s.numbers(nil, args)
	if err != nil || len(all) == 0 {
		return value.NullValue, err
	}
	best := all[0]
	for _, v := range all[1:] {
		if compareNumbers(v, best) == direction {
			best = v
		}
	}
	return best, nil
}

func maximum(s *Scope, args []value.Value) (value.Value, error) { return s.extreme(args, 1) }
func minimum(s *Scope, args []value.Value) (value.Value, error) { return s.extreme(args, -1) }

// mean of nothing is 0, as in expr-lang.
func mean(s *Scope, args []value.Value) (value.Value, error) {
	all, err := s.numbers(nil, args)
	if err != nil || len(all) == 0 {
		return value.OfInt(0), err
	}
	total := 0.0
	for _, v := range all {
		f, _ := v.Number()
		total += f
	}
	return double(total / float64(len(all)))
}

// median of nothing is 0, as in expr-lang.
func median(s *Scope, args []value.Value) (value.Value, error) {
	all, err := s.numbers(nil, args)
	if err != nil || len(all) == 0 {
		return value.OfInt(0), err
	}
	slices.SortFunc(all, compareNumbers)
	middle := len(all) / 2
	if len(all)%2 == 1 {
		return all[middle], nil
	}
	x, _ := all[middle-1].Number()
	y, _ := all[middle].Number()
	return double((x + y) / 2)
}

type binaryFunc = func(s *Scope, x, y value.Value) (value.Value, error)

func bitwise(op func(x, y int64) int64) binaryFunc {
	return func(_ *Scope, a, b value.Value) (value.Value, error) {
		x, err := integer(a)
		if err != nil {
			return a, err
		}
		y, err := integer(b)
		if err != nil {
			return b, err
		}
		return value.OfInt(op(x, y)), nil
	}
}

func shift(op func(x int64, y uint64) int64) binaryFunc {
	return func(_ *Scope, a, b value.Value) (value.Value, error) {
		x, err := integer(a)
		if err != nil {
			return a, err
		}
		y, err := integer(b)
		if err != nil {
			return b, err
		}
		if y < 0 {
			return b, failf("a shift by %d, which is negative", y)
		}
		return value.OfInt(op(x, uint64(y))), nil
	}
}

func bitnot(_ *Scope, v value.Value) (value.Value, error) {
	i, err := integer(v)
	return value.OfInt(^i), err
}
