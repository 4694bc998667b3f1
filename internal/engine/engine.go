// Package engine is the shell around the pure core: what makes a statechart durable.
//
// Everything that a machine sees comes through its inbox. The engine puts it there (Create, Send),
// a [Lane] takes it out. A lane is a single-threaded loop over the machines of the buckets that its
// worker holds: it claims what waits, decides, and applies the decisions in one transaction. decide
// is a pure function that folds machine.Step over a machine's events and due timers and turns the
// effects into rows; read it first.
//
// Who is authoritative: the database for what happened (history) and what waits (inbox, and the list
// of timers in a machine's snapshot, of which the timer table is the index); the database's clock for
// when. A lane's cache and the hints of scheduler and API only save time. Whatever fails, nothing is
// applied, or it is not known: then the lane drops what it kept and reads again.
//
// This is the only package that knows both machine and store. It imports clock beside them.
package engine

import (
	"context"
)

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
	Send(ctx context.Context, id, eventID string, event []byte) (Accepted, error)                                    // eventID "" makes a new one
	SendBatch(ctx context.Context, body []byte, lines bool) ([]BatchResult, error)                                   // lines: one item on each, in place of an array
	AwaitApplied(ctx context.Context, id string, a Accepted) (applied Applied, done bool, err error)                 // done false: ctx ended first, it is accepted all the same
	History(ctx context.Context, id string, afterSeq int64, limit int) (entries []HistoryView, more bool, err error) // more: there may be
	Timers(ctx context.Context, id string, limit int) ([]TimerView, error)

	Ready(ctx context.Context) error // *Error CodeUnavailable with the reason
}
