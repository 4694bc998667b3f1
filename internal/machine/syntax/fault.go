package syntax

import "strings"

// Fault is one thing wrong with a definition, or worth a warning.
type Fault struct {
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Message string `json:"message"` // what is there, what was expected, the nearest known name
}

// Faults is everything wrong with a definition. It is an error when it has at least one.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.Pointer + ": " + x.Message
	}
	return strings.Join(lines, "\n")
}
