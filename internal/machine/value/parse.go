package value

import (
	"fmt"
	"slices"
	"strconv"
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
func Parse(text []byte) (Value, error) {
	// One copy serves every key and text of the value, which are slices of it.
	p := parser{in: string(text)}
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
	elems []Value
	keys  []string
	// vals and objects are what is left of the slabs.
	vals    []Value
	objects []object
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
		return OfText(s), ok
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

func (p *parser) nested(open byte) (Value, bool) {
	if p.depth == MaxDepth {
		return Value{}, p.fail(p.pos, CodeTooDeep, "arrays and objects nest deeper than %d", MaxDepth)
	}
	p.depth++
	p.pos++
	read := p.object
	if open == '[' {
		read = p.array
	}
	v, ok := read()
	p.depth--
	return v, ok
}

// ends reports whether the array or object that close ends is over: before its first element, or
// after one, where only a comma may stand otherwise.
func (p *parser) ends(close byte, first bool, expected string) (end, ok bool) {
	p.space()
	switch {
	case p.pos < len(p.in) && p.in[p.pos] == close:
		p.pos++
		return true, true
	case first:
		return false, true
	case p.pos < len(p.in) && p.in[p.pos] == ',':
		p.pos++
		return false, true
	default:
		return false, p.unexpected(expected)
	}
}

func (p *parser) array() (Value, bool) {
	from := len(p.elems)
	for i := 0; ; i++ {
		end, ok := p.ends(']', i == 0, "',' or ']' after an element of an array")
		if !ok {
			return Value{}, false
		}
		if end {
			break
		}
		v, ok := p.value()
		if !ok {
			p.path = append(p.path, strconv.Itoa(i))
			return Value{}, false
		}
		p.elems = append(p.elems, v)
	}
	v := OfArray(p.keep(p.elems[from:]))
	p.elems = p.elems[:from]
	return v, true
}

func (p *parser) object() (Value, bool) {
	fromElem, fromKey := len(p.elems), len(p.keys)
	var seen map[string]int // of a large object
	for {
		end, ok := p.ends('}', len(p.keys) == fromKey, "',' or '}' after a member of an object")
		if !ok {
			return Value{}, false
		}
		if end {
			break
		}
		p.space()
		at := p.pos
		key, ok := p.key()
		if !ok {
			return Value{}, false
		}
		if seen, ok = p.unseen(seen, p.keys[fromKey:], key, at); !ok {
			return Value{}, false
		}
		p.keys = append(p.keys, key)
		v, ok := p.value()
		if !ok {
			p.path = append(p.path, key)
			return Value{}, false
		}
		p.elems = append(p.elems, v)
	}
	v := p.newObject(p.shapeOf(p.keys[fromKey:], seen), p.keep(p.elems[fromElem:]))
	p.elems, p.keys = p.elems[:fromElem], p.keys[:fromKey]
	return v, true
}

// key reads the key of a member, which begins at pos, and the colon after it.
func (p *parser) key() (string, bool) {
	if p.pos >= len(p.in) || p.in[p.pos] != '"' {
		return "", p.unexpected("a key in double quotes")
	}
	key, ok := p.text()
	if !ok {
		return "", false
	}
	if p.space(); p.pos >= len(p.in) || p.in[p.pos] != ':' {
		return "", p.unexpected("':' after a key")
	}
	p.pos++
	return key, true
}

// unseen notes the next key of an object, which stands at at and whose keys so far are given, and
// refuses it when it is there already. A large object has its index from the indexFrom-th key on.
func (p *parser) unseen(index map[string]int, keys []string, key string, at int) (map[string]int, bool) {
	var again bool
	if index == nil {
		again = slices.Contains(keys, key)
	} else {
		_, again = index[key]
	}
	if again {
		p.path = append(p.path, key)
		return nil, p.fail(at, CodeDuplicateKey, "the key %q is there twice", key)
	}
	if index == nil && len(keys)+1 >= indexFrom {
		index = make(map[string]int, 2*indexFrom)
		for i, k := range keys {
			index[k] = i
		}
	}
	if index != nil {
		index[key] = len(keys)
	}
	return index, true
}

// A slab has room for slabSize values or objects, or fewer when what is left of the text cannot
// have as many: whoever keeps one value of a slab keeps them all.
const slabSize = 64

// room returns the size of a slab for things that take at least so many bytes of text each.
func (p *parser) room(bytes int) int { return min(slabSize, (len(p.in)-p.pos)/bytes+1) }

// keep copies values off the stack.
func (p *parser) keep(vals []Value) []Value {
	n := len(vals)
	if n == 0 {
		return nil
	}
	if len(p.vals) < n {
		p.vals = make([]Value, max(n, p.room(4)))
	}
	kept := p.vals[:n:n]
	p.vals = p.vals[n:]
	copy(kept, vals)
	return kept
}

func (p *parser) newObject(s *shape, vals []Value) Value {
	if len(p.objects) == 0 {
		p.objects = make([]object, p.room(16))
	}
	o := &p.objects[0]
	p.objects = p.objects[1:]
	o.shape, o.vals = s, vals
	return ofObject(o)
}

func (p *parser) shapeOf(keys []string, index map[string]int) *shape {
	if p.recent == nil || !slices.Equal(p.recent.keys, keys) {
		p.recent = &shape{keys: append([]string(nil), keys...), index: index}
	}
	return p.recent
}
