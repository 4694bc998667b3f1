package syntax

import (
	"fmt"
	"strings"
)

// The codes of faults that this package finds. A text that is no JSON at all has a code of package value.
const (
	CodeUnknownKey   = "unknown_key"   // a key that the format does not know
	CodeWrongType    = "wrong_type"    // a value of another kind than expected
	CodeMissing      = "missing"       // a key that must be there
	CodeBadValue     = "bad_value"     // the right kind, but not a value that means something
	CodeMisplaced    = "misplaced"     // a key that means nothing at this place
	CodeDuplicate    = "duplicate"     // two keys that mean the same
	CodeNotSupported = "not_supported" // something of XState that Detent does not do
	CodeV4Spelling   = "v4_spelling"   // something that XState v5 spells differently
	CodeInvalidYAML  = "invalid_yaml"  // no YAML, or YAML that JSON has nothing for
	CodeTooMany      = "too_many"      // the last fault of maxFaults: there are more
)

// maxFaults is how many faults are told at once: a document that is wrong everywhere must not be
// answered with a text many times its size.
const maxFaults = 500

// Fault is one thing wrong with a definition, or worth a warning.
type Fault struct {
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Message string `json:"message"` // what is there, what was expected, the nearest known name
}

// Faults is everything wrong with a definition. It is an error when it has at least one.
type Faults []Fault

// Error returns a line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.Message
		if x.Pointer != "" {
			lines[i] = x.Pointer + ": " + x.Message
		}
	}
	return strings.Join(lines, "\n")
}

// decoder gathers the faults of a document while it is read: reading goes on after a fault, so that
// all of them are found.
type decoder struct{ faults Faults }

func (d *decoder) fault(at, code, format string, args ...any) {
	switch {
	case len(d.faults) < maxFaults-1:
		d.faults = append(d.faults, Fault{at, code, fmt.Sprintf(format, args...)})
	case len(d.faults) < maxFaults:
		d.faults = append(d.faults, Fault{"", CodeTooMany, fmt.Sprintf("there are more faults than the %d told here", maxFaults-1)})
	}
}
