package value

// Parse, AppendJSON, String and Equal: to be written.

// Limits of what Parse accepts.
const (
	// MaxDepth is how deep arrays and objects may nest.
	MaxDepth = 1000
)

// SyntaxError says what is wrong with a JSON text, and where.
type SyntaxError struct {
	Pointer string // JSON pointer to the innermost value that could be named
	Offset  int    // bytes from the beginning
	Code    string // invalid_json, duplicate_key, invalid_utf8, nul_character, lone_surrogate, number_range, too_deep
	Message string
}

func (e *SyntaxError) Error() string { return e.Message }

// Parse reads one JSON text strictly: RFC 8259 without duplicate keys, invalid UTF-8, NUL, lone
// surrogates, numbers beyond 64 bits or a double's range, nesting beyond MaxDepth, and with nothing
// after it. The error is a *SyntaxError.
func Parse(text []byte) (Value, error) { panic("value: Parse is to be written") }

// AppendJSON appends v as compact JSON: the shortest form that reads back as the same value, no
// HTML escapes, keys in their order. Absent is written as null.
func (v Value) AppendJSON(dst []byte) []byte { panic("value: AppendJSON is to be written") }

// String returns v as compact JSON.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// Equal reports whether a and b are the same JSON value, whatever the order of keys. 1 and 1.0 are equal.
func Equal(a, b Value) bool { panic("value: Equal is to be written") }
