package expr

import (
	"cmp"
	"math"

	"github.com/detent-run/detent/internal/machine/value"
)

// The arithmetic of numbers: never a wrong one. Doubles follow IEEE 754 in single operations, which
// give the same bits on every processor.

// integer returns the integer that v is, also when it is kept as a double.
func integer(v value.Value) (int64, error) {
	switch v.Kind() {
	case value.Int:
		return v.Int(), nil
	case value.Float:
		f, _ := v.Number()
		if i, ok := wholeInt(f); ok {
			return i, nil
		}
	}
	return 0, need("an integer", v)
}

// wholeInt returns a double as an integer when that is exact.
func wholeInt(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < math.MinInt64 || f >= -math.MinInt64 {
		return 0, false
	}
	return int64(f), true
}

// double returns a result as a value, unless it is NaN or infinite.
func double(f float64) (value.Value, error) {
	v, err := value.OfFloat(f)
	if err != nil {
		return v, failf("the result is beyond the range of numbers")
	}
	return v, nil
}

// doubles returns two numbers as doubles.
func doubles(op string, a, b value.Value) (x, y float64, err error) {
	x, xok := a.Number()
	y, yok := b.Number()
	switch {
	case !xok:
		return 0, 0, need("a number for "+op, a)
	case !yok:
		return 0, 0, need("a number for "+op, b)
	default:
		return x, y, nil
	}
}

func overflow(a value.Value, op string, b value.Value) error {
	return failf("%s %s %s does not fit 64 bits", a, op, b)
}

func (s *Scope) add(a, b value.Value) (value.Value, error) {
	switch {
	case a.Kind() == value.Int && b.Kind() == value.Int:
		x, y := a.Int(), b.Int()
		if sum := x + y; (sum > x) == (y > 0) {
			return value.OfInt(sum), nil
		}
		return a, overflow(a, "+", b)
	case a.Kind() == value.Text && b.Kind() == value.Text:
		if err := s.charge(a.Len()+b.Len(), 1); err != nil {
			return a, err
		}
		return value.OfText(a.Text() + b.Text()), nil
	case a.Kind() == value.Text || b.Kind() == value.Text:
		return a, failf("+ takes two numbers or two texts, not %s and %s (string(x) makes a text)", describe(a), describe(b))
	}
	x, y, err := doubles("+", a, b)
	if err != nil {
		return a, err
	}
	return double(x + y)
}

func (*Scope) subtract(a, b value.Value) (value.Value, error) {
	if a.Kind() == value.Int && b.Kind() == value.Int {
		x, y := a.Int(), b.Int()
		if difference := x - y; (difference < x) == (y > 0) {
			return value.OfInt(difference), nil
		}
		return a, overflow(a, "-", b)
	}
	x, y, err := doubles("-", a, b)
	if err != nil {
		return a, err
	}
	return double(x - y)
}

func (*Scope) multiply(a, b value.Value) (value.Value, error) {
	if a.Kind() == value.Int && b.Kind() == value.Int {
		product, ok := multiplyInts(a.Int(), b.Int())
		if !ok {
			return a, overflow(a, "*", b)
		}
		return value.OfInt(product), nil
	}
	x, y, err := doubles("*", a, b)
	if err != nil {
		return a, err
	}
	return double(x * y)
}

func multiplyInts(x, y int64) (int64, bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	product := x * y
	// The second clause is MinInt64 * -1, whose wrapped product divides back.
	if product/y != x || (y == -1 && x == math.MinInt64) {
		return 0, false
	}
	return product, true
}

func (*Scope) divide(a, b value.Value) (value.Value, error) {
	x, y, err := doubles("/", a, b)
	if err != nil {
		return a, err
	}
	if y == 0 {
		return a, failf("division by zero")
	}
	return double(x / y)
}

func (*Scope) modulo(a, b value.Value) (value.Value, error) {
	x, err := integer(a)
	if err != nil {
		return a, err
	}
	y, err := integer(b)
	if err != nil {
		return b, err
	}
	if y == 0 {
		return a, failf("division by zero")
	}
	return value.OfInt(x % y), nil
}

func (*Scope) power(a, b value.Value) (value.Value, error) {
	if a.Kind() == value.Int && b.Kind() == value.Int && b.Int() >= 0 {
		result, ok := powerInts(a.Int(), b.Int())
		if !ok {
			return a, overflow(a, "**", b)
		}
		return value.OfInt(result), nil
	}
	x, y, err := doubles("**", a, b)
	if err != nil {
		return a, err
	}
	if x == 0 && y < 0 {
		return a, failf("division by zero")
	}
	return double(math.Pow(x, y))
}

// powerInts squares its way up. The base is squared only while it is needed again, so that what
// overflows is always a factor of the result.
func powerInts(base, exponent int64) (int64, bool) {
	result, ok := int64(1), true
	for {
		if exponent&1 == 1 {
			if result, ok = multiplyInts(result, base); !ok {
				return 0, false
			}
		}
		if exponent >>= 1; exponent == 0 {
			return result, true
		}
		if base, ok = multiplyInts(base, base); !ok {
			return 0, false
		}
	}
}

func negate(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int:
		if v.Int() == math.MinInt64 {
			return v, failf("-(%s) does not fit 64 bits", v)
		}
		return value.OfInt(-v.Int()), nil
	case value.Float:
		f, _ := v.Number()
		return double(-f)
	default:
		return v, need("a number for -", v)
	}
}

// compareNumbers compares exactly: a conversion of an integer to a double would round.
func compareNumbers(a, b value.Value) int {
	switch {
	case a.Kind() == value.Int && b.Kind() == value.Int:
		return cmp.Compare(a.Int(), b.Int())
	case a.Kind() == value.Int:
		y, _ := b.Number()
		return compareIntFloat(a.Int(), y)
	case b.Kind() == value.Int:
		x, _ := a.Number()
		return -compareIntFloat(b.Int(), x)
	default:
		x, _ := a.Number()
		y, _ := b.Number()
		return cmp.Compare(x, y)
	}
}

func compareIntFloat(i int64, f float64) int {
	switch {
	case f >= -math.MinInt64:
		return -1
	case f < math.MinInt64:
		return 1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(i, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}

// compare orders two numbers or two texts, and nothing else.
func (s *Scope) compare(a, b value.Value) (int, error) {
	switch {
	case isNumber(a) && isNumber(b):
		return compareNumbers(a, b), nil
	case a.Kind() == value.Text && b.Kind() == value.Text:
		if err := s.work(1 + min(a.Len(), b.Len())/16); err != nil {
			return 0, err
		}
		return cmp.Compare(a.Text(), b.Text()), nil
	default:
		return 0, failf("%s and %s cannot be compared: only two numbers or two texts can", describe(a), describe(b))
	}
}

func isNumber(v value.Value) bool { return v.Kind() == value.Int || v.Kind() == value.Float }
