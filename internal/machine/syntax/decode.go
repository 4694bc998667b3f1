package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/detent-run/detent/internal/machine/value"
)

// DecodeJSON reads a definition document. The error is Faults.
func DecodeJSON(text []byte) (*Document, error) {
	v, err := value.Parse(text)
	var syntax *value.SyntaxError
	if errors.As(err, &syntax) {
		return nil, Faults{{syntax.Pointer, syntax.Code, syntax.Message + place(text, syntax.Offset)}}
	}
	return Decode(v)
}

// place tells where in a text an offset is, as editors do.
func place(text []byte, offset int) string {
	before := text[:offset]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := offset - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf(" (line %d, column %d)", line, column)
}

// Decode reads a definition document that is parsed already. The error is Faults.
func Decode(doc value.Value) (*Document, error) {
	var d decoder
	out := d.document(doc)
	if len(d.faults) > 0 {
		return nil, d.faults
	}
	return out, nil
}

var documentWords = &vocabulary{
	of:     "a definition",
	known:  []string{"machine", "setup", "options"},
	schema: true,
}

// document reads a definition: three parts, or the machine part alone, which shows by its states.
func (d *decoder) document(v value.Value) *Document {
	out := &Document{Source: v, Options: defaultOptions}
	if v.Has("states") || v.Has("initial") {
		out.Machine = d.root(v, "")
		return out
	}
	ok := d.members(v, "", documentWords, func(key string, v value.Value, at string) bool {
		switch key {
		case "machine":
			out.Machine = d.root(v, at)
		case "setup":
			out.Setup = d.setup(v, at)
		case "options":
			out.Options = d.options(v, at)
		default:
			if slices.Contains(rootWords.known, key) {
				d.fault(at, CodeMisplaced, `%q belongs into "machine"`, key)
				return true
			}
			return false
		}
		return true
	})
	if ok && !v.Has("machine") {
		d.fault("", CodeMissing, `a definition needs "machine", an XState v5 machine config`)
	}
	return out
}
