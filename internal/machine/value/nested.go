package value

import (
	"slices"
	"strconv"
)

func (p *parser) nested(open byte) (Value, bool) {
	if p.depth == p.limit {
		return Value{}, p.fail(p.pos, CodeTooDeep, "arrays and objects nest deeper than %d", p.limit)
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
	elems := p.run(len(p.elems) - from)
	copy(elems, p.elems[from:])
	v := OfArray(elems)
	p.elems = p.elems[:from]
	return v, true
}

func (p *parser) object() (Value, bool) {
	return p.members(len(p.elems), len(p.keys))
}

// members reads the rest of an object, whose keys and values so far are on the stacks from these places on.
func (p *parser) members(fromElem, fromKey int) (Value, bool) {
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
	if len(p.keys) == fromKey {
		return noMembers, true
	}
	v, vals := objectIn(p.run(len(p.elems)-fromElem+1), p.shapeOf(p.keys[fromKey:], seen))
	copy(vals, p.elems[fromElem:])
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

// A slab has room for slabSize values, or fewer when what is left of the text cannot have as many:
// whoever keeps one value of a slab keeps them all.
const slabSize = 64

// run takes n values off the slab.
func (p *parser) run(n int) []Value {
	if n == 0 {
		return nil
	}
	if p.borrowed {
		return make([]Value, n)
	}
	if len(p.slab) < n {
		p.slab = make([]Value, max(n, min(slabSize, (len(p.in)-p.pos)/4+1)))
	}
	run := p.slab[:n:n]
	p.slab = p.slab[n:]
	return run
}

func (p *parser) shapeOf(keys []string, index map[string]int) *shape {
	if p.recent != nil && slices.Equal(p.recent.keys, keys) {
		return p.recent
	}
	own := make([]string, len(keys))
	for i, key := range keys {
		own[i] = p.keep(key)
	}
	p.recent = &shape{keys: own, index: index}
	if p.borrowed {
		p.recent = newShape(own) // the keys of the index are not ours
	}
	return p.recent
}
