package syntax

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// MaxDuration is the longest duration in microseconds, about 292 years: what 64 bits of nanoseconds hold.
const MaxDuration = math.MaxInt64 / 1000

// MaxMillis is the longest delay that a number of milliseconds can give.
const MaxMillis = MaxDuration / 1000

// unit is a unit of durations, in both spellings.
type unit struct {
	short, iso string
	micros     int64
}

// units from the longest to the shortest, the order in which a literal has them. Only ms has no ISO letter.
var units = []unit{
	{"d", "D", 86_400_000_000},
	{"h", "H", 3_600_000_000},
	{"m", "M", 60_000_000},
	{"s", "S", 1_000_000},
	{"ms", "", 1_000},
}

// ParseDuration reads a duration literal ("30s", "1h30m", "2d", "PT15M") and returns microseconds.
// A day is 24 hours. Months and years, whose lengths differ, are refused, and so is everything that
// is not a whole number of microseconds.
func ParseDuration(text string) (int64, error) {
	rest, iso := strings.CutPrefix(text, "P")
	if !iso {
		micros, err := parseParts(rest, units, func(u unit) string { return u.short })
		return micros, explain(text, err)
	}
	days, clock, hasClock := strings.Cut(rest, "T")
	if days == "" && clock == "" {
		return 0, explain(text, errNoParts)
	}
	var micros int64
	if days != "" {
		n, err := parseParts(days, units[:1], isoLetter)
		if err != nil {
			return 0, explain(text, err)
		}
		micros = n
	}
	if hasClock {
		n, err := parseParts(clock, units[1:4], isoLetter)
		if err != nil {
			return 0, explain(text, err)
		}
		micros += n // neither is beyond MaxDuration, so the sum does not overflow
	}
	if micros > MaxDuration {
		return 0, explain(text, errTooLong)
	}
	return micros, nil
}

func isoLetter(u unit) string { return u.iso }

// durationError is a reason why a text is no duration, without the text itself.
type durationError string

func (e durationError) Error() string { return string(e) }

const (
	errNoParts = durationError(`a duration is written like "30s", "1h30m", "2d" or "PT15M"`)
	errTooLong = durationError("it is longer than 292 years")
	errInexact = durationError("it is not a whole number of microseconds")
	errOrder   = durationError("each unit is there once, the longest first")
)

func explain(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q is not a duration: %w", clip(text), err)
}

// parseParts reads numbers with units. Each unit must be shorter than the one before it.
func parseParts(text string, units []unit, spelling func(unit) string) (int64, error) {
	if text == "" {
		return 0, errNoParts
	}
	total, left := new(big.Int), units
	for text != "" {
		n := countBytes(text, isNumeral)
		number := text[:n]
		text = text[n:]
		n = countBytes(text, func(c byte) bool { return !isNumeral(c) })
		name := text[:n]
		text = text[n:]
		i := findUnit(left, name, spelling)
		switch {
		case number == "":
			return 0, errNoParts
		case i < 0 && findUnit(units, name, spelling) >= 0:
			return 0, errOrder
		case i < 0:
			return 0, unknownUnit(name)
		}
		micros, err := scale(number, left[i].micros)
		if err != nil {
			return 0, err
		}
		total.Add(total, micros)
		left = left[i+1:]
	}
	if total.Cmp(big.NewInt(MaxDuration)) > 0 {
		return 0, errTooLong
	}
	return total.Int64(), nil
}

func isNumeral(c byte) bool { return c == '.' || (c >= '0' && c <= '9') }

func countBytes(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}

func findUnit(units []unit, name string, spelling func(unit) string) int {
	for i, u := range units {
		if name != "" && spelling(u) == name {
			return i
		}
	}
	return -1
}

func unknownUnit(name string) error {
	switch strings.ToLower(name) {
	case "w", "week", "weeks":
		return durationError("weeks are not known; write days")
	case "mo", "month", "months":
		return durationError("months differ in length; write days")
	case "y", "year", "years":
		return durationError("years differ in length; write days")
	}
	if name == "M" {
		return durationError("months differ in length; write days (minutes are m, or M after a T)")
	}
	return errNoParts
}

// scale returns number (digits, maybe with a fraction) times micros, which must be whole.
func scale(number string, micros int64) (*big.Int, error) {
	whole, fraction, hasPoint := strings.Cut(number, ".")
	if whole == "" || (hasPoint && fraction == "") || strings.Contains(fraction, ".") {
		return nil, errNoParts
	}
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	// 2^63 has 19 digits, and a day in microseconds divides by ten 8 times and by two 13 times.
	if len(whole) > 19 {
		return nil, errTooLong
	}
	if len(fraction) > 13 {
		return nil, errInexact
	}
	n, _ := new(big.Int).SetString("0"+whole+fraction, 10)
	n.Mul(n, big.NewInt(micros))
	divisor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	n, rest := n.QuoRem(n, divisor, new(big.Int))
	if rest.Sign() != 0 {
		return nil, errInexact
	}
	return n, nil
}

// duration reads a duration: a literal, or a whole number of milliseconds.
func (d *decoder) duration(v value.Value, at, of string) int64 {
	switch v.Kind() {
	case value.Int:
		return d.millis(v, at, of)
	case value.Text:
		micros, err := ParseDuration(v.Text())
		if err != nil {
			d.fault(at, CodeBadValue, "%s: %v", of, err)
		}
		return micros
	default:
		d.wrongType(v, at, of+` is a duration such as "30s", or an integer of milliseconds`)
		return 0
	}
}

// interval reads a duration that is longer than nothing.
func (d *decoder) interval(v value.Value, at, of string) int64 {
	before := len(d.faults)
	micros := d.duration(v, at, of)
	if micros == 0 && len(d.faults) == before {
		d.fault(at, CodeBadValue, "%s must be longer than 0", of)
	}
	return micros
}

func (d *decoder) millis(v value.Value, at, of string) int64 {
	return d.integer(v, at, of+" in milliseconds", 0, MaxMillis) * 1000
}
