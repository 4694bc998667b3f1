package engine

import (
	"context"
	"errors"
	"log/slog"

	"github.com/detent-run/detent/internal/store"
)

// Engine answers everything that an API can ask for. It is safe for concurrent use.
type Engine struct {
	db      *store.DB
	defs    *Definitions
	log     *slog.Logger
	awaiter *awaiter
	door    *door
	bound   boundDefinitions
	hint    func(store.Key)
}

var _ Service = (*Engine)(nil)

// Options of New.
type Options struct {
	Log *slog.Logger
	// Hint is called when something waits for a machine, so that a lane in the same process looks at
	// once. It may be nil: lanes look by themselves.
	Hint func(store.Key)
}

// New returns an engine over the database. Its Run must run for waits to end early.
func New(db *store.DB, defs *Definitions, o Options) *Engine {
	if o.Hint == nil {
		o.Hint = func(store.Key) {}
	}
	return &Engine{db: db, defs: defs, log: o.Log, awaiter: newAwaiter(db), door: &door{accept: db.Accept}, hint: o.Hint}
}

// Run watches for the outcomes that callers wait for, until ctx ends.
func (e *Engine) Run(ctx context.Context) error { return e.awaiter.Run(ctx) }

// Applied tells the engine that a lane of this process has committed: whoever waits for it looks at once.
func (e *Engine) Applied() { e.awaiter.Wake() }

// Ready reports whether the database answers, is migrated, and every bucket has an owner.
func (e *Engine) Ready(ctx context.Context) error {
	if err := e.db.Ping(ctx); err != nil {
		return unavailable(err)
	}
	_, unowned, err := e.db.Overdue(ctx, 0)
	if err != nil {
		return unavailable(err)
	}
	if unowned > 0 {
		return &Error{Code: CodeUnavailable, Retryable: true, Message: "no worker holds some of the machines: is a worker running?"}
	}
	return nil
}

func key(id string) store.Key { return store.Key{Namespace: store.Namespace, Machine: id} }

// outside turns an error of the store into what a caller is told.
func outside(err error) error {
	var told *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, store.ErrRetry), errors.Is(err, store.ErrUnknown):
		return unavailable(err)
	default:
		return &Error{Code: CodeInternal, Message: "a fault in the service; its log has the cause", cause: err}
	}
}

func unavailable(err error) error {
	return &Error{Code: CodeUnavailable, Retryable: true, Message: "the database does not answer at the moment", cause: err}
}
