package value

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest in a text that Parse accepts.
const MaxDepth = 1000

// The codes of a SyntaxError.
const (
	CodeInvalidJSON   = "invalid_json"
	CodeDuplicateKey  = "duplicate_key"
	CodeInvalidUTF8   = "invalid_utf8"
	CodeNUL           = "nul_character"
	CodeLoneSurrogate = "lone_surrogate"
	CodeNumberRange   = "number_range"
	CodeTooDeep       = "too_deep"
)

// SyntaxError says what is wrong with a JSON text, and where.
type SyntaxError struct {
	Pointer string // JSON pointer to the innermost value that could be named
	Offset  int    // bytes from the beginning
	Code    string // one of the codes above
	Message string
}

// Error returns the message with the offset, and the pointer where there is one.
func (e *SyntaxError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%s (at byte %d)", e.Message, e.Offset)
	}
	return fmt.Sprintf("%s (at byte %d, in %s)", e.Message, e.Offset, e.Pointer)
}

// Parse reads one JSON text strictly: RFC 8259 without duplicate keys, invalid UTF-8, NUL, lone
// surrogates, numbers beyond 64 bits or a double's range, nesting beyond MaxDepth, and with nothing
// after it. The error is a *SyntaxError. The value shares no memory with text.
func Parse(text []byte) (Value, error) { return parse(text, MaxDepth) }

// ParseStored reads a text that this program wrote. It is as strict, but takes a few levels more than
// Parse: a value that came in as deep as allowed lies deeper in what it is stored in.
func ParseStored(text []byte) (Value, error) { return parse(text, MaxDepth+storedDepth) }

// storedDepth is how many levels a snapshot or an event may put around a value.
const storedDepth = 16

func parse(text []byte, limit int) (Value, error) {
	// One copy serves every key and text of the value, which are slices of it.
	p := parser{in: string(text), limit: limit}
	v, ok := p.document()
	if !ok {
		p.err.Pointer = p.pointer()
		return Value{}, p.err
	}
	return v, nil
}

// parser reads in from pos on. Its methods return false once err is set.
//
// Elements and members are gathered on two stacks that all levels share, and copied out when their
// array or object ends, into slabs: a text of many small objects would spend half its time on
// allocating each by itself.
type parser struct {
	in    string
	pos   int
	depth int
	limit int // of depth
	elems []Value
	keys  []string
	slab  []Value // what is left of it
	// borrowed: in is not the parser's own, so that the value keeps copies; the short ones in room.
	borrowed bool
	room     []byte
	// recent is the shape of the object that ended last: an array of records needs one shape only.
	recent *shape
	err    *SyntaxError
	// path is the way to err, innermost first: it is put together while the calls return, so that
	// a text without errors costs nothing.
	path []string
}

func (p *parser) fail(at int, code, format string, args ...any) bool {
	p.err = &SyntaxError{Offset: at, Code: code, Message: fmt.Sprintf(format, args...)}
	return false
}

func (p *parser) pointer() string {
	var b strings.Builder
	for _, token := range slices.Backward(p.path) {
		b.WriteByte('/')
		b.WriteString(EscapePointer(token))
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// EscapePointer returns key as a reference token of a JSON pointer (RFC 6901).
func EscapePointer(key string) string {
	if strings.ContainsAny(key, "~/") {
		return pointerEscapes.Replace(key)
	}
	return key
}

func (p *parser) document() (Value, bool) {
	if !utf8.ValidString(p.in) {
		at := 0
		for at < len(p.in) {
			r, size := utf8.DecodeRuneInString(p.in[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		return Value{}, p.fail(at, CodeInvalidUTF8, "invalid UTF-8: byte 0x%02x", p.in[at])
	}
	v, ok := p.value()
	if !ok {
		return v, false
	}
	if p.space(); p.pos < len(p.in) {
		return v, p.unexpected("nothing after the value")
	}
	return v, true
}

func (p *parser) space() {
	for p.pos < len(p.in) {
		switch p.in[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// unexpected reports what stands at pos where something else was expected.
func (p *parser) unexpected(expected string) bool {
	if p.pos >= len(p.in) {
		return p.fail(p.pos, CodeInvalidJSON, "the text ends where JSON has %s", expected)
	}
	r, _ := utf8.DecodeRuneInString(p.in[p.pos:])
	if r == 0 {
		return p.fail(p.pos, CodeNUL, "a NUL character is not allowed")
	}
	return p.fail(p.pos, CodeInvalidJSON, "unexpected %q where JSON has %s", r, expected)
}

func (p *parser) value() (Value, bool) {
	p.space()
	if p.pos >= len(p.in) {
		return Value{}, p.unexpected("a value")
	}
	switch c := p.in[p.pos]; {
	case c == '"':
		s, ok := p.text()
		return OfText(p.keep(s)), ok
	case c == '{' || c == '[':
		return p.nested(c)
	case c == '-' || isDigit(c):
		return p.number()
	case c == 't':
		return p.word("true", OfBool(true))
	case c == 'f':
		return p.word("false", OfBool(false))
	case c == 'n':
		return p.word("null", NullValue)
	default:
		return Value{}, p.unexpected("a value")
	}
}

func (p *parser) word(word string, v Value) (Value, bool) {
	if !strings.HasPrefix(p.in[p.pos:], word) {
		return Value{}, p.unexpected("a value")
	}
	p.pos += len(word)
	return v, true
}
