package expr

import (
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/detent-run/detent/internal/machine/value"
)

// text returns the text of an argument, counted as looked through.
func (s *Scope) text(v value.Value) (string, error) {
	if v.Kind() != value.Text {
		return "", need("a text", v)
	}
	return v.Text(), s.scan(v.Text())
}

// texts returns the texts of two arguments.
func (s *Scope) texts(a, b value.Value) (x, y string, err error) {
	if x, err = s.text(a); err != nil {
		return "", "", err
	}
	y, err = s.text(b)
	return x, y, err
}

// change evaluates a function that makes a text of about the same length of a text.
func change(f func(string) string) func(s *Scope, v value.Value) (value.Value, error) {
	return func(s *Scope, v value.Value) (value.Value, error) {
		x, err := s.text(v)
		if err == nil {
			err = s.charge(len(x), 2)
		}
		if err != nil {
			return v, err
		}
		return value.OfText(f(x)), nil
	}
}

// change2 is change with a second argument.
func change2(f func(x, y string) string) binaryFunc {
	return func(s *Scope, a, b value.Value) (value.Value, error) {
		x, y, err := s.texts(a, b)
		if err == nil {
			err = s.charge(len(x), 2)
		}
		if err != nil {
			return a, err
		}
		return value.OfText(f(x, y)), nil
	}
}

var (
	trimSpace       = change(strings.TrimSpace)
	trimPrefixSpace = change(func(x string) string { return strings.TrimPrefix(x, " ") })
	trimSuffixSpace = change(func(x string) string { return strings.TrimSuffix(x, " ") })
	upper           = change(strings.ToUpper)
	lower           = change(strings.ToLower)
	trimPrefix      = change2(strings.TrimPrefix)
	trimSuffix      = change2(strings.TrimSuffix)
)

// trim removes the characters of b from both ends of a, in time that is the product of their lengths.
func trim(s *Scope, a, b value.Value) (value.Value, error) {
	x, y, err := s.texts(a, b)
	if err == nil {
		err = s.work(len(x) * len(y) / 64)
	}
	if err != nil {
		return a, err
	}
	return value.OfText(strings.Trim(x, y)), nil
}

// limit reads the optional count of split and replace: -1 is no limit.
func limit(args []value.Value, at int) (int, error) {
	if len(args) <= at {
		return -1, nil
	}
	n, err := integer(args[at])
	return int(min(max(n, -1), MaxMemory)), err
}

func splitWith(s *Scope, args []value.Value, f func(s, sep string, n int) []string) (value.Value, error) {
	x, sep, err := s.texts(args[0], args[1])
	if err != nil {
		return args[0], err
	}
	n, err := limit(args, 2)
	if err != nil {
		return args[2], err
	}
	elems, err := s.newArray(strings.Count(x, sep) + 1)
	if err != nil {
		return args[0], err
	}
	for _, part := range f(x, sep, n) {
		elems = append(elems, value.OfText(part))
	}
	return value.OfArray(elems), nil
}

func split(s *Scope, args []value.Value) (value.Value, error) {
	return splitWith(s, args, strings.SplitN)
}

func splitAfter(s *Scope, args []value.Value) (value.Value, error) {
	return splitWith(s, args, strings.SplitAfterN)
}

func replace(s *Scope, args []value.Value) (value.Value, error) {
	x, old, err := s.texts(args[0], args[1])
	if err != nil {
		return args[0], err
	}
	replacement, err := s.text(args[2])
	if err != nil {
		return args[2], err
	}
	n, err := limit(args, 3)
	if err != nil {
		return args[3], err
	}
	times := strings.Count(x, old)
	if n >= 0 {
		times = min(times, n)
	}
	if err := s.charge(len(x)+times*len(replacement), 1); err != nil {
		return args[0], err
	}
	return value.OfText(strings.Replace(x, old, replacement, n)), nil
}

func repeat(s *Scope, a, b value.Value) (value.Value, error) {
	x, err := s.text(a)
	if err != nil {
		return a, err
	}
	n, err := integer(b)
	if err != nil {
		return b, err
	}
	if n < 0 {
		return b, failf("a text cannot be repeated %d times", n)
	}
	// An empty text may be repeated as often as one likes, but not for ever.
	if err := s.charge(int(min(n, MaxMemory+1)), max(len(x), 1)); err != nil {
		return a, err
	}
	return value.OfText(strings.Repeat(x, int(n))), nil
}

func join(s *Scope, args []value.Value) (value.Value, error) {
	glue := ""
	if len(args) == 2 {
		var err error
		if glue, err = s.text(args[1]); err != nil {
			return args[1], err
		}
	}
	if args[0].Kind() != value.Array {
		return args[0], need("an array of texts", args[0])
	}
	elems := args[0].Elems()
	// What is gathered here and what is made of it.
	if err := s.charge(len(elems), 16+len(glue)); err != nil {
		return args[0], err
	}
	parts := make([]string, len(elems))
	for i, e := range elems {
		if e.Kind() != value.Text {
			return e, need("an array of texts", e)
		}
		if err := s.charge(e.Len(), 1); err != nil {
			return e, err
		}
		parts[i] = e.Text()
	}
	return value.OfText(strings.Join(parts, glue)), nil
}

// position turns the byte where something was found into a character, as indexes count.
func position(text string, at int) (value.Value, error) {
	if at < 0 {
		return value.OfInt(-1), nil
	}
	return value.OfInt(int64(utf8.RuneCountInString(text[:at]))), nil
}

func indexOf(s *Scope, a, b value.Value) (value.Value, error) {
	x, y, err := s.texts(a, b)
	if err != nil {
		return a, err
	}
	return position(x, strings.Index(x, y))
}

func lastIndexOf(s *Scope, a, b value.Value) (value.Value, error) {
	x, y, err := s.texts(a, b)
	if err != nil {
		return a, err
	}
	return position(x, strings.LastIndex(x, y))
}

func hasPrefix(s *Scope, a, b value.Value) (value.Value, error) {
	x, y, err := s.texts(a, b)
	return value.OfBool(strings.HasPrefix(x, y)), err
}

func hasSuffix(s *Scope, a, b value.Value) (value.Value, error) {
	x, y, err := s.texts(a, b)
	return value.OfBool(strings.HasSuffix(x, y)), err
}

// toText is how a template prints: a text as it is, everything else as compact JSON.
func toText(s *Scope, v value.Value) (value.Value, error) {
	if v.Kind() == value.Text {
		return v, nil
	}
	return toJSON(s, v)
}

func toJSON(s *Scope, v value.Value) (value.Value, error) {
	if err := s.chargeJSON(v); err != nil {
		return v, err
	}
	return value.OfText(v.String()), nil
}

// chargeJSON charges about what the value's JSON needs, before it is written.
func (s *Scope) chargeJSON(v value.Value) error {
	switch v.Kind() {
	case value.Text:
		return s.charge(v.Len()+2, 1)
	case value.Array:
		for _, e := range v.Elems() {
			if err := s.chargeJSON(e); err != nil {
				return err
			}
		}
		return s.charge(v.Len()+2, 1)
	case value.Object:
		for i := range v.Len() {
			key, e := v.Member(i)
			if err := s.charge(len(key)+4, 1); err != nil {
				return err
			}
			if err := s.chargeJSON(e); err != nil {
				return err
			}
		}
		return s.charge(2, 1)
	default:
		return s.charge(8, 1)
	}
}

func fromJSON(s *Scope, v value.Value) (value.Value, error) {
	x, err := s.text(v)
	if err == nil {
		err = s.charge(len(x)+memberSize*(1+strings.Count(x, ",")), 1)
	}
	if err != nil {
		return v, err
	}
	parsed, err := value.Parse([]byte(x))
	if err != nil {
		return v, failf("not JSON: %s", err)
	}
	return parsed, nil
}

func toBase64(s *Scope, v value.Value) (value.Value, error) {
	x, err := s.text(v)
	if err == nil {
		err = s.charge(len(x), 2)
	}
	if err != nil {
		return v, err
	}
	return value.OfText(base64.StdEncoding.EncodeToString([]byte(x))), nil
}

func fromBase64(s *Scope, v value.Value) (value.Value, error) {
	x, err := s.text(v)
	if err == nil {
		err = s.charge(len(x), 1)
	}
	if err != nil {
		return v, err
	}
	decoded, err := base64.StdEncoding.DecodeString(x)
	if err != nil {
		return v, failf("not base64: %s", err)
	}
	if !validText(string(decoded)) {
		return v, failf("the base64 holds bytes that are no text")
	}
	return value.OfText(string(decoded)), nil
}

// validText reports whether a text may be a value: UTF-8 without NUL.
func validText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// date reads an RFC 3339 time, or a day, which begins at midnight UTC.
func date(s *Scope, v value.Value) (value.Value, error) {
	x, err := s.text(v)
	if err != nil {
		return v, err
	}
	for _, layout := range [...]string{time.RFC3339Nano, time.DateOnly} {
		// ParseInLocation because Parse looks at the host's own zone.
		if t, err := time.ParseInLocation(layout, x, time.UTC); err == nil {
			return milliseconds(t.UnixMilli(), int64(t.Nanosecond())%1e6)
		}
	}
	return v, failf("%s is neither an RFC 3339 time with an offset nor a day (2006-01-02)", describe(v))
}

// duration reads Go's notation (1h30m, 250ms) and gives milliseconds.
func duration(s *Scope, v value.Value) (value.Value, error) {
	x, err := s.text(v)
	if err != nil {
		return v, err
	}
	d, err := time.ParseDuration(x)
	if err != nil {
		return v, failf("%s is no duration such as 1h30m or 250ms", describe(v))
	}
	return milliseconds(int64(d)/1e6, int64(d)%1e6)
}

// milliseconds returns a time or a duration as a number: an exact one when there are no nanoseconds beside.
func milliseconds(whole, nanoseconds int64) (value.Value, error) {
	if nanoseconds == 0 {
		return value.OfInt(whole), nil
	}
	return double(float64(whole) + float64(nanoseconds)/1e6)
}
