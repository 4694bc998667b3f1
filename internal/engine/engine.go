// Package engine is the shell around the pure core.
package engine

import (
	"context"
	"encoding/json"
	"time"
)

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

// Registered is the answer to Register.
type Registered struct {
	Name     string  `json:"name"`
	Version  int     `json:"version"`
	Hash     string  `json:"hash"`
	Warnings []Fault `json:"warnings"`
	Created  bool    `json:"-"`
}

// DefinitionView is a definition as people read it.
type DefinitionView struct {
	Name      string          `json:"name"`
	Version   int             `json:"version"`
	Hash      string          `json:"hash"`
	Warnings  []Fault         `json:"warnings"`
	CreatedAt time.Time       `json:"createdAt"`
	Document  json.RawMessage `json:"document,omitempty"` // of a single version only
}

// MachineView is a machine as people read it.
type MachineView struct {
	ID         string          `json:"id"`
	Definition string          `json:"definition"`
	Version    int             `json:"version"`
	Status     string          `json:"status"`
	Value      json.RawMessage `json:"value,omitempty"`
	Context    json.RawMessage `json:"context,omitempty"`
	Tags       []string        `json:"tags"`
	Output     json.RawMessage `json:"output,omitempty"`
	Error      json.RawMessage `json:"error,omitempty"`
	Suspension json.RawMessage `json:"suspension,omitempty"` // why, while suspended
	Seq        int64           `json:"seq"`
	Now        *time.Time      `json:"now,omitempty"`
	Timers     []TimerView     `json:"timers"`
	Children   []ChildView     `json:"children"`
	Labels     json.RawMessage `json:"labels"`
	Owner      string          `json:"owner,omitempty"`
	CreatedAt  time.Time       `json:"createdAt"`
	UpdatedAt  time.Time       `json:"updatedAt"`
}

// TimerView is a pending timer.
type TimerView struct {
	Event    string    `json:"event"`
	Deadline time.Time `json:"deadline"`
	ID       string    `json:"id,omitempty"` // what cancel names, unless it is the event's type
}

// ChildView is an invoked or spawned actor.
type ChildView struct {
	ID  string `json:"id"`
	Src string `json:"src"`
}

// Accepted is the answer to an event that is in the inbox.
type Accepted struct {
	EventID    string    `json:"eventId"`
	AcceptedAt time.Time `json:"acceptedAt"`
}

// Applied is the answer to an event that was handled.
type Applied struct {
	Accepted
	AppliedAt time.Time       `json:"appliedAt"`
	Seq       int64           `json:"seq"`
	Outcome   string          `json:"outcome"` // applied, ignored, dead
	Handled   bool            `json:"handled"`
	Changed   bool            `json:"changed"`
	From      json.RawMessage `json:"from,omitempty"`
	To        json.RawMessage `json:"to,omitempty"`
	Reason    json.RawMessage `json:"reason,omitempty"` // why dead
	Machine   *MachineView    `json:"machine"`
}

// HistoryView is one entry of a machine's history.
type HistoryView struct {
	Seq               int64           `json:"seq"`
	Outcome           string          `json:"outcome"`
	EventID           string          `json:"eventId,omitempty"`
	Event             json.RawMessage `json:"event,omitempty"`
	EventTime         time.Time       `json:"eventTime"`
	EffectiveTime     time.Time       `json:"effectiveTime"`
	ProcessedAt       time.Time       `json:"processedAt"`
	LatenessMs        *float64        `json:"latenessMs,omitempty"`
	DefinitionVersion int             `json:"definitionVersion"`
	From              json.RawMessage `json:"from,omitempty"`
	To                json.RawMessage `json:"to,omitempty"`
	Actions           json.RawMessage `json:"actions"`
	Effects           json.RawMessage `json:"effects"`
	Changes           json.RawMessage `json:"changes,omitempty"` // of the context
	Reason            json.RawMessage `json:"reason,omitempty"`
}

// CreateRequest is a machine to create. Body is strict JSON {id?, definition, version?, input?, labels?};
// the key, when given, makes a create without id repeatable.
type CreateRequest struct {
	Body           []byte
	IdempotencyKey string
	By             string // who asks, for the record
}

// MachineQuery selects machines to list.
type MachineQuery struct {
	Definition string
	Status     string
	PageToken  string
	Limit      int // 0 is the default (100); at most 1000
}

// Service is everything that an API can ask for. *Engine is one. All errors are *Error, or the context's.
type Service interface {
	Register(ctx context.Context, name string, document []byte, yaml bool) (Registered, error)
	Validate(ctx context.Context, document []byte, yaml bool) (warnings []Fault, err error)
	Definitions(ctx context.Context, pageToken string, limit int) (views []DefinitionView, next string, err error)
	Versions(ctx context.Context, name, pageToken string, limit int) (views []DefinitionView, next string, err error)
	Definition(ctx context.Context, name string, version int) (DefinitionView, error)

	Create(ctx context.Context, r CreateRequest) (id string, created bool, err error)
	AwaitStart(ctx context.Context, id string) (MachineView, error) // after its first macrostep or suspension; when ctx ends first, as it is then
	Machine(ctx context.Context, id string) (MachineView, error)
	Machines(ctx context.Context, q MachineQuery) (views []MachineView, next string, err error)
	Send(ctx context.Context, id, eventID string, event []byte) (Accepted, error) // eventID "" makes a new one
	AwaitApplied(ctx context.Context, id string, a Accepted) (applied Applied, done bool, err error) // done false: ctx ended first, it is accepted all the same
	History(ctx context.Context, id string, afterSeq int64, limit int) (entries []HistoryView, err error)
	Timers(ctx context.Context, id string, limit int) ([]TimerView, error)

	Ready(ctx context.Context) error // *Error CodeUnavailable with the reason
}
