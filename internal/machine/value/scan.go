package value

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number reads a number. One without a fraction and an exponent is an integer, and must fit one.
func (p *parser) number() (Value, bool) {
	start := p.pos
	if p.in[p.pos] == '-' {
		p.pos++
	}
	if p.pos < len(p.in) && p.in[p.pos] == '0' {
		p.pos++
		if p.pos < len(p.in) && isDigit(p.in[p.pos]) {
			return Value{}, p.fail(start, CodeInvalidJSON, "a number has no leading zeros")
		}
	} else if !p.digits() {
		return Value{}, false
	}
	whole := true
	if p.pos < len(p.in) && p.in[p.pos] == '.' {
		whole = false
		if p.pos++; !p.digits() {
			return Value{}, false
		}
	}
	if p.pos < len(p.in) && p.in[p.pos]|0x20 == 'e' {
		whole = false
		if p.pos++; p.pos < len(p.in) && (p.in[p.pos] == '+' || p.in[p.pos] == '-') {
			p.pos++
		}
		if !p.digits() {
			return Value{}, false
		}
	}
	return p.numberOf(start, whole)
}

// digits reads one or more digits.
func (p *parser) digits() bool {
	start := p.pos
	for p.pos < len(p.in) && isDigit(p.in[p.pos]) {
		p.pos++
	}
	return p.pos > start || p.unexpected("a digit")
}

func (p *parser) numberOf(start int, whole bool) (Value, bool) {
	literal := p.in[start:p.pos]
	if whole && len(literal) < maxDigits {
		return OfInt(smallInt(literal)), true
	}
	if whole {
		i, err := strconv.ParseInt(literal, 10, 64)
		if err != nil {
			return Value{}, p.fail(start, CodeNumberRange, "the integer %s does not fit 64 bits", shorten(literal))
		}
		return OfInt(i), true
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return Value{}, p.fail(start, CodeNumberRange, "the number %s is beyond the range of a double", shorten(literal))
	}
	v, _ := OfFloat(f) // a literal that ParseFloat accepts is finite
	return v, true
}

// maxDigits is how many digits and signs an integer must have before it could be beyond 64 bits.
const maxDigits = 19

// smallInt returns what an integer of fewer than maxDigits characters is worth.
func smallInt(literal string) int64 {
	digits := strings.TrimPrefix(literal, "-")
	var i int64
	for _, c := range []byte(digits) {
		i = i*10 + int64(c-'0')
	}
	if len(digits) < len(literal) {
		return -i
	}
	return i
}

// shorten keeps a message readable whatever the length of a literal.
func shorten(literal string) string {
	if len(literal) > 40 {
		return literal[:32] + "..."
	}
	return literal
}

// text reads a text in quotes. Without escapes it is a slice of the input.
func (p *parser) text() (string, bool) {
	start := p.pos + 1
	for i := start; i < len(p.in); i++ {
		switch c := p.in[i]; {
		case c == '"':
			p.pos = i + 1
			return p.in[start:i], true
		case c == '\\':
			return p.escapedText(start, i)
		case c < ' ':
			return "", p.control(i)
		}
	}
	return "", p.openText(start)
}

func (p *parser) openText(start int) bool {
	return p.fail(len(p.in), CodeInvalidJSON, "the text ends inside the quotes that open at byte %d", start-1)
}

func (p *parser) control(at int) bool {
	if p.in[at] == 0 {
		return p.fail(at, CodeNUL, "a NUL character is not allowed")
	}
	return p.fail(at, CodeInvalidJSON, "the control character 0x%02x must be escaped inside quotes", p.in[at])
}

// escapedText reads a text that begins at start and has its first escape at i.
func (p *parser) escapedText(start, i int) (string, bool) {
	var b strings.Builder
	for {
		b.WriteString(p.in[start:i])
		if i >= len(p.in) {
			return "", p.openText(p.pos + 1)
		}
		switch c := p.in[i]; {
		case c == '"':
			p.pos = i + 1
			return b.String(), true
		case c < ' ':
			return "", p.control(i)
		}
		r, next, ok := p.escape(i)
		if !ok {
			return "", false
		}
		b.WriteRune(r)
		start, i = next, next
		for i < len(p.in) && p.in[i] != '"' && p.in[i] != '\\' && p.in[i] >= ' ' {
			i++
		}
	}
}

// escape reads the escape at i and returns what it stands for and where it ends.
func (p *parser) escape(i int) (r rune, next int, ok bool) {
	if i+1 >= len(p.in) {
		return 0, 0, p.fail(len(p.in), CodeInvalidJSON, "the text ends inside an escape")
	}
	switch c := p.in[i+1]; c {
	case '"', '\\', '/':
		return rune(c), i + 2, true
	case 'b':
		return '\b', i + 2, true
	case 'f':
		return '\f', i + 2, true
	case 'n':
		return '\n', i + 2, true
	case 'r':
		return '\r', i + 2, true
	case 't':
		return '\t', i + 2, true
	case 'u':
		return p.unicodeEscape(i)
	default:
		r, _ := utf8.DecodeRuneInString(p.in[i+1:])
		return 0, 0, p.fail(i, CodeInvalidJSON, "there is no escape \\%c", r)
	}
}

// unicodeEscape reads \uXXXX, or two of them that are a surrogate pair.
func (p *parser) unicodeEscape(i int) (r rune, next int, ok bool) {
	if r, ok = p.hex4(i); !ok {
		return 0, 0, p.fail(i, CodeInvalidJSON, "\\u is not followed by four hexadecimal digits")
	}
	if r == 0 {
		return 0, 0, p.fail(i, CodeNUL, "a NUL character (\\u0000) is not allowed")
	}
	if !utf16.IsSurrogate(r) {
		return r, i + 6, true
	}
	if low, ok := p.hex4(i + 6); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, i + 12, true
		}
	}
	return 0, 0, p.fail(i, CodeLoneSurrogate, "the surrogate %s has no partner", p.in[i:i+6])
}

// hex4 reads \uXXXX at i.
func (p *parser) hex4(i int) (rune, bool) {
	if i+6 > len(p.in) || p.in[i] != '\\' || p.in[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.in[i+2 : i+6]) {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
