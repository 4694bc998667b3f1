package syntax

import "github.com/detent-run/detent/internal/machine/value"

// DecodeJSON reads a definition document. The error is Faults.
func DecodeJSON(text []byte) (*Document, error) { panic("syntax: to be written") }

// DecodeYAML reads a definition document in YAML 1.2's JSON-like part. The error is Faults.
func DecodeYAML(text []byte) (*Document, error) { panic("syntax: to be written") }

// Decode reads a definition document that is parsed already. The error is Faults.
func Decode(doc value.Value) (*Document, error) { panic("syntax: to be written") }

// ParseDuration reads a duration literal ("30s", "1h30m", "2d", "PT15M") and returns microseconds.
func ParseDuration(text string) (int64, error) { panic("syntax: to be written") }

// Nearest returns the known name that is nearest to the unknown one, "" when none is near.
func Nearest(unknown string, known []string) string { panic("syntax: to be written") }
