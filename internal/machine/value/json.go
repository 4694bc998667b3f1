package value

import (
	"math"
	"strconv"
)

// String returns v as compact JSON.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// MarshalJSON lets a Value stand in a struct that encoding/json writes.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// UnmarshalJSON lets a Value stand in a struct that encoding/json reads. The error is a *SyntaxError.
func (v *Value) UnmarshalJSON(text []byte) error {
	parsed, err := Parse(text)
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}

// AppendJSON appends v as compact JSON: the shortest form that reads back as the same value, no
// HTML escapes, keys in their order. Absent is written as null.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(dst, v.num == 1)
	case Int:
		return strconv.AppendInt(dst, int64(v.num), 10)
	case Float:
		return appendFloat(dst, math.Float64frombits(v.num))
	case Text:
		return appendText(dst, v.Text())
	case Array:
		dst = append(dst, '[')
		for i, e := range v.Elems() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.AppendJSON(dst)
		}
		return append(dst, ']')
	case Object:
		vals := v.members()
		dst = append(dst, '{')
		for i, key := range v.shape().keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, key), ':')
			dst = vals[i].AppendJSON(dst)
		}
		return append(dst, '}')
	default:
		return append(dst, "null"...)
	}
}

// appendFloat writes a double as JavaScript does, but for whole doubles: one that is kept as a Float is
// beyond 2^53 and gets an exponent, because without one it would read back as an integer.
func appendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs >= 1e-6 && abs < maxExact {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// JavaScript writes 1e-7 where strconv writes 1e-07.
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// escapeLetter has the letter of the short escape of a byte, 1 for a byte that has the long one only,
// and 0 for a byte that stands for itself.
var escapeLetter = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 1
	}
	t['\b'], t['\t'], t['\n'], t['\f'], t['\r'], t['"'], t['\\'] = 'b', 't', 'n', 'f', 'r', '"', '\\'
	return t
}()

// appendText escapes what JSON.stringify escapes, and nothing else.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		letter := escapeLetter[s[i]]
		if letter == 0 {
			continue
		}
		dst = append(append(dst, s[start:i]...), '\\')
		if letter == 1 {
			dst = append(dst, 'u', '0', '0', hexDigits[s[i]>>4], hexDigits[s[i]&15])
		} else {
			dst = append(dst, letter)
		}
		start = i + 1
	}
	return append(append(dst, s[start:]...), '"')
}
