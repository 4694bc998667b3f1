package syntax

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// JavaScript shows through in two places, because definitions are written for it: objects give their
// keys in an order of its own, and a key of after is a number when it looks like one.

// inKeyOrder returns the members of an object in JavaScript's key order: first the keys that are
// canonical array indexes, by number, then the others as written.
func inKeyOrder(v value.Value) []value.Member {
	members := make([]value.Member, v.Len())
	for i := range members {
		members[i].Key, members[i].Value = v.Member(i)
	}
	slices.SortStableFunc(members, func(a, b value.Member) int {
		return cmp.Compare(keyRank(a.Key), keyRank(b.Key))
	})
	return members
}

// keyRank is the array index that a key is, or the same large number for all others.
func keyRank(key string) uint64 {
	if i, ok := arrayIndex(key); ok {
		return i
	}
	return math.MaxUint64
}

// arrayIndex reads a canonical array index, which is from 0 to 2^32-2 and has no leading zeros.
func arrayIndex(key string) (uint64, bool) {
	if key == "" || len(key) > 10 || key[0] < '0' || key[0] > '9' || (key[0] == '0' && key != "0") {
		return 0, false
	}
	i, err := strconv.ParseUint(key, 10, 64)
	return i, err == nil && i < math.MaxUint32
}

// jsNumber is JavaScript's Number(text). It reports false for NaN.
func jsNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return 0, true
	case "Infinity", "+Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	if len(text) > 2 && text[0] == '0' {
		if base := radix(text[1]); base != 0 {
			n, err := strconv.ParseUint(text[2:], base, 64)
			return float64(n), err == nil
		}
	}
	// Without this, strconv would read hexadecimal floats, "inf" and "nan" too.
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

func radix(letter byte) int {
	switch letter | 0x20 {
	case 'x':
		return 16
	case 'o':
		return 8
	case 'b':
		return 2
	default:
		return 0
	}
}

// delayKey returns a key of after as JavaScript writes it: "1e3" is "1000". A key that is no number
// stays as it is: it is a name or a duration literal.
func (d *decoder) delayKey(key, at string) string {
	f, ok := jsNumber(key)
	switch {
	case strings.TrimSpace(key) == "":
		d.fault(at, CodeBadValue, "%q is not a delay; a delay is milliseconds, a name in setup.delays, or a duration such as \"30s\"", key)
	case !ok:
	case f != math.Trunc(f):
		d.fault(at, CodeBadValue, "a number of milliseconds is whole, not %s; write \"%sms\"", clip(key), clip(strings.TrimSpace(key)))
	case f < 0 || f > MaxMillis:
		d.fault(at, CodeBadValue, "a delay is from 0 to %d milliseconds (292 years), not %s", int64(MaxMillis), clip(key))
	default:
		return strconv.FormatInt(int64(f), 10)
	}
	return key
}
