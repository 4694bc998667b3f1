package value

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Reader reads a text that this program wrote, piece by piece, by someone who knows what it looks like:
// several times as fast as Parse and a look at what it returns. It is as strict as ParseStored where it
// looks at all, but it does not say what is wrong. From the first thing on that is not as expected, it
// returns zero values, and in the end Done reports false: then ParseStored has the answer.
//
// The values that it returns own all that they keep, and nothing else.
type Reader struct {
	p   parser
	bad bool
}

// NewReader returns a reader of the text, which must not change while it reads.
func NewReader(text []byte) Reader {
	return Reader{
		p:   parser{in: unsafe.String(unsafe.SliceData(text), len(text)), limit: MaxDepth, borrowed: true},
		bad: !utf8.Valid(text),
	}
}

// Bad reports whether something was not as expected.
func (r *Reader) Bad() bool { return r.bad }

// Refuse makes the text one that is not as expected.
func (r *Reader) Refuse() { r.bad = true }

// Done reports whether everything was as expected, and the text is over.
func (r *Reader) Done() bool { return !r.bad && r.p.pos == len(r.p.in) }

// Expect passes over what must come next.
func (r *Reader) Expect(literal string) {
	if !r.Next(literal) {
		r.bad = true
	}
}

// Next passes over something if it comes next, and reports whether it did.
func (r *Reader) Next(literal string) bool {
	if r.bad || !strings.HasPrefix(r.p.in[r.p.pos:], literal) {
		return false
	}
	r.p.pos += len(literal)
	return true
}

// begins reports whether a value that begins with that byte comes next.
func (r *Reader) begins(c byte) bool {
	return !r.bad && r.p.pos < len(r.p.in) && r.p.in[r.p.pos] == c
}

// Text reads a text. It may be a part of the text that is read: clone it to keep it.
func (r *Reader) Text() string {
	if !r.begins('"') {
		r.bad = true
		return ""
	}
	s, ok := r.p.text()
	r.bad = !ok
	return s
}

// Int reads an integer that is at least low.
func (r *Reader) Int(low int64) int64 {
	v := r.Value(Value{})
	if v.kind != Int || v.Int() < low {
		r.bad = true
	}
	return v.Int()
}

// Raw passes over a value and returns it as it is written. It does not look whether it is written well.
func (r *Reader) Raw() string {
	start, depth := r.p.pos, 0
	for !r.bad && r.p.pos < len(r.p.in) {
		switch r.p.in[r.p.pos] {
		case '"':
			r.Text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				return r.p.in[start:r.p.pos]
			}
		}
		if depth < 0 {
			return r.p.in[start:r.p.pos]
		}
		r.p.pos++
	}
	r.bad = true
	return ""
}

// Value reads a value. One that looks like the example shares with it what they have in common: the keys
// of objects, and texts that are the same.
func (r *Reader) Value(example Value) Value {
	if r.bad {
		return Value{}
	}
	v, ok := r.p.like(example)
	if !ok {
		r.bad = true
		return Value{}
	}
	return v
}

// like reads a value that may look like the example.
func (p *parser) like(example Value) (Value, bool) {
	if p.pos < len(p.in) && p.depth < p.limit {
		switch c := p.in[p.pos]; {
		case c == '{' && example.kind == Object:
			return p.objectLike(example)
		case c == '[' && example.kind == Array:
			return p.arrayLike(example.Elems())
		case c == '"' && example.kind == Text:
			s, ok := p.text()
			if s != example.Text() {
				return OfText(p.keep(s)), ok
			}
			return example, ok
		}
	}
	return p.value()
}

// objectLike reads an object that probably has the example's keys, in their order. When it turns out to
// have others it goes on as with any object.
func (p *parser) objectLike(example Value) (Value, bool) {
	v, vals := newObject(example.shape())
	p.depth++
	p.pos++
	i := 0
	for at := p.pos; ; at = p.pos {
		end, ok := p.ends('}', i == 0, "',' or '}' after a member of an object")
		if !ok {
			return Value{}, false
		}
		if end && i == len(vals) {
			break
		}
		var key string
		if !end {
			p.space()
			if key, ok = p.key(); !ok {
				return Value{}, false
			}
		}
		if end || i == len(vals) || key != example.shape().keys[i] {
			p.pos = at
			return p.objectUnlike(example.shape().keys[:i], vals[:i])
		}
		if vals[i], ok = p.like(example.members()[i]); !ok {
			return Value{}, false
		}
		i++
	}
	p.depth--
	return v, true
}

// objectUnlike goes on with an object of which these members have been read.
func (p *parser) objectUnlike(keys []string, vals []Value) (Value, bool) {
	fromElem, fromKey := len(p.elems), len(p.keys)
	p.elems, p.keys = append(p.elems, vals...), append(p.keys, keys...)
	v, ok := p.members(fromElem, fromKey)
	p.depth--
	return v, ok
}

// arrayLike reads an array that probably is as long as the example, of elements that look like those, or
// like its last one.
func (p *parser) arrayLike(examples []Value) (Value, bool) {
	p.depth++
	p.pos++
	elems := make([]Value, 0, len(examples))
	for {
		end, ok := p.ends(']', len(elems) == 0, "',' or ']' after an element of an array")
		if !ok {
			return Value{}, false
		}
		if end {
			break
		}
		var v, example Value
		if len(examples) > 0 {
			example = examples[min(len(elems), len(examples)-1)]
		}
		p.space()
		if v, ok = p.like(example); !ok {
			return Value{}, false
		}
		elems = append(elems, v)
	}
	p.depth--
	if len(elems) < cap(elems) {
		elems = append(make([]Value, 0, len(elems)), elems...)
	}
	return OfArray(elems), true
}

// What keep puts together is texts up to shortText bytes, at most roomSize bytes of them: as long as one is
// kept, all are.
const (
	shortText = 24
	roomSize  = 64
)

// keep copies a text out of a borrowed input.
func (p *parser) keep(s string) string {
	if !p.borrowed {
		return s
	}
	if len(s) > shortText || len(s) == 0 {
		return strings.Clone(s)
	}
	start := len(p.room)
	if cap(p.room)-start < len(s) {
		p.room, start = make([]byte, 0, roomSize), 0
	}
	p.room = append(p.room, s...)
	return unsafe.String(&p.room[start], len(s))
}
