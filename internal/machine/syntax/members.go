package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// vocabulary is the keys of one kind of object. Which keys are read is decided where they are read;
// the vocabulary is what messages say about the others.
type vocabulary struct {
	of      string            // the kind of object, as messages call it
	known   []string          // in the order in which the format names them
	v4      map[string]string // keys of XState v4, with what to write instead
	refused map[string]string // keys of XState that Detent does not do, with why or what instead
	schema  bool              // $schema and types may be there, for editors
}

// child returns the pointer of a member.
func child(at, key string) string { return at + "/" + value.EscapePointer(key) }

// maxPointer is how long pointers may be, in bytes. Everything in a document keeps its own, so that
// without a limit one long key with many states below it would make gigabytes of a small document.
const maxPointer = 2000

// descend returns the pointer of a member that is to be read, and reports false when it is too long.
func (d *decoder) descend(at, key string) (string, bool) {
	if len(at)+1+len(key) > maxPointer {
		d.fault(at, value.CodeTooDeep, "the path to %q is longer than %d bytes: names are too long, or nest too deep", clip(key), maxPointer)
		return "", false
	}
	return child(at, key), true
}

// item returns the pointer of an element.
func item(at string, i int) string { return at + "/" + strconv.Itoa(i) }

// members reads each member of an object in the order of the document. read reports whether it knows
// the key. Keys that begin with x- belong to the author. members reports whether v is an object.
func (d *decoder) members(v value.Value, at string, words *vocabulary, read func(key string, v value.Value, at string) bool) bool {
	if v.Kind() != value.Object {
		d.wrongType(v, at, words.of+" is an object")
		return false
	}
	for i := range v.Len() {
		key, x := v.Member(i)
		if words.ignores(key) {
			continue
		}
		if where, ok := d.descend(at, key); ok && !read(key, x, where) {
			d.unknownKey(key, where, words)
		}
	}
	return true
}

func (w *vocabulary) ignores(key string) bool {
	return strings.HasPrefix(key, "x-") || (w.schema && (key == "$schema" || key == "types"))
}

func (d *decoder) unknownKey(key, at string, words *vocabulary) {
	if advice, ok := words.v4[key]; ok {
		d.fault(at, CodeV4Spelling, "%q is XState v4: %s", key, advice)
		return
	}
	if advice, ok := words.refused[key]; ok {
		d.fault(at, CodeNotSupported, "%q is not supported: %s", key, advice)
		return
	}
	if near := Nearest(key, words.known); near != "" {
		d.fault(at, CodeUnknownKey, "%s has no %q; did you mean %q?", words.of, clip(key), near)
		return
	}
	d.fault(at, CodeUnknownKey, "%s has no %q; it may have %s", words.of, clip(key), list(words.known))
}

// names reads each member of an object whose keys are names that the author chose.
func (d *decoder) names(v value.Value, at, of string, read func(key string, v value.Value, at string)) {
	if v.Kind() != value.Object {
		d.wrongType(v, at, of+" are an object")
		return
	}
	for i := range v.Len() {
		key, x := v.Member(i)
		if key == "" {
			d.fault(child(at, key), CodeBadValue, `%s: "" is not a name`, of)
			continue
		}
		if where, ok := d.descend(at, key); ok {
			read(key, x, where)
		}
	}
}

// form finds the one key of an object that says what the object is, such as an action's. Keys in
// beside may stand with it and are left to the caller.
func (d *decoder) form(v value.Value, at string, words *vocabulary, beside ...string) (string, bool) {
	found, before := "", len(d.faults)
	ok := d.members(v, at, words, func(key string, _ value.Value, at string) bool {
		switch {
		case slices.Contains(beside, key):
		case !slices.Contains(words.known, key):
			return false
		case found == "":
			found = key
		default:
			d.fault(at, CodeBadValue, "%s is one thing: it cannot have both %q and %q", words.of, found, key)
		}
		return true
	})
	if ok && found == "" && len(d.faults) == before {
		d.fault(at, CodeMissing, "%s needs one of %s", words.of, list(words.known))
	}
	return found, found != ""
}

// each reads one thing or an array of them.
func (d *decoder) each(v value.Value, at string, read func(v value.Value, at string)) {
	if v.Kind() != value.Array {
		read(v, at)
		return
	}
	for i, e := range v.Elems() {
		read(e, item(at, i))
	}
}

func (d *decoder) wrongType(v value.Value, at, expected string) {
	d.fault(at, CodeWrongType, "%s, not %s", expected, describe(v))
}

// text reads a text of any length.
func (d *decoder) text(v value.Value, at, of string) string {
	if v.Kind() != value.Text {
		d.wrongType(v, at, of+" is a text")
	}
	return v.Text()
}

// name reads a text that is not empty.
func (d *decoder) name(v value.Value, at, of string) string {
	if v.Kind() == value.Text && v.Text() == "" {
		d.fault(at, CodeBadValue, `%s is a name, and "" is none`, of)
	}
	return d.text(v, at, of)
}

// texts reads a text or an array of texts.
func (d *decoder) texts(v value.Value, at, of string) []string {
	out := []string{}
	d.each(v, at, func(v value.Value, at string) { out = append(out, d.name(v, at, of)) })
	return out
}

func (d *decoder) boolean(v value.Value, at, of string) bool {
	if v.Kind() != value.Bool {
		d.wrongType(v, at, of+" is true or false")
	}
	return v.Bool()
}

// integer reads an integer within limits, both included.
func (d *decoder) integer(v value.Value, at, of string, from, to int64) int64 {
	if v.Kind() != value.Int {
		d.wrongType(v, at, of+" is an integer")
	} else if v.Int() < from || v.Int() > to {
		d.fault(at, CodeBadValue, "%s is from %d to %d, not %d", of, from, to, v.Int())
	}
	return v.Int()
}

// oneOf reads a text that is one of a few words.
func (d *decoder) oneOf(v value.Value, at, of string, words ...string) string {
	s := v.Text()
	switch {
	case v.Kind() != value.Text:
		d.wrongType(v, at, of+" is one of "+list(words))
	case !slices.Contains(words, s):
		d.fault(at, CodeBadValue, "%s is one of %s, not %q%s", of, list(words), clip(s), didYouMean(s, words))
	}
	return s
}

// require reports keys that are not there.
func (d *decoder) require(v value.Value, at, of string, keys ...string) {
	for _, key := range keys {
		if !v.Has(key) {
			d.fault(at, CodeMissing, "%s needs %q", of, key)
		}
	}
}

// describe says what a value is, short enough for a message.
func describe(v value.Value) string {
	switch v.Kind() {
	case value.Array, value.Object:
		return "an " + v.Kind().String()
	case value.Text:
		return fmt.Sprintf("the text %q", clip(v.Text()))
	case value.Int, value.Float:
		return "the number " + v.String()
	default:
		return v.String()
	}
}

// clip keeps a message readable whatever the document holds.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	runes := []rune(s[:most])
	return string(runes[:len(runes)-1]) + "…"
}

// list writes words for a message: "a", "b" or "c".
func list(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(w))
	}
	return b.String()
}
