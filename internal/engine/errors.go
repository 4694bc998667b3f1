package engine

// Fault is one fault with its place.
type Fault struct {
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error is what a caller outside gets told. The cause is for the log only.
type Error struct {
	Code      Code
	Message   string
	Pointer   string // JSON pointer into the request's body, "" when it concerns no place in it
	Faults    []Fault
	Retryable bool
	cause     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.cause }

// Code names a kind of error for programs.
type Code string

// The codes.
const (
	CodeInvalidBody         Code = "invalid_body"         // not strict JSON or YAML, or of the wrong form; with pointer
	CodeTooLarge            Code = "too_large"            // beyond a limit, which the message names
	CodeInvalidID           Code = "invalid_id"           // of a machine, an event or a definition
	CodeInvalidParameter    Code = "invalid_parameter"    // in the query
	CodeInvalidDefinition   Code = "invalid_definition"   // with all faults
	CodeInvalidEvent        Code = "invalid_event"        // against setup.events, or no type; with faults
	CodeReservedEvent       Code = "reserved_event"       // a type in xstate.
	CodeUnknownDefinition   Code = "unknown_definition"   // 404, or 422 in a create
	CodeUnknownVersion      Code = "unknown_version"      //
	CodeUnknownMachine      Code = "unknown_machine"      //
	CodeMachineConflict     Code = "machine_conflict"     // the id exists with another body
	CodeIdempotencyConflict Code = "idempotency_conflict" // the event id exists with another event
	CodeUnavailable         Code = "unavailable"          // the database does not answer; retryable
	CodeInternal            Code = "internal"             // a fault of ours
)
