package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Errors that callers branch on. They are matched by errors.Is.
var (
	ErrNotFound  = errors.New("not found")
	ErrConflict  = errors.New("exists with other content")
	ErrFenced    = errors.New("fenced: the owner has lost its leases") // the owner must drop everything and join anew
	ErrDuplicate = errors.New("event was handled before")              // history, a snapshot or the inbox is ahead of what the batch was decided on: reload and decide again
	ErrTooNew    = errors.New("database was migrated by a newer version")
	ErrRetry     = errors.New("try again") // nothing was changed, and the cause lies outside: a lock, a lost connection, a server that shuts down
	ErrUnknown   = errors.New("outcome of the commit is unknown")
)

// ErrEarly is the database's refusal to fire a timer before its deadline. It comes together with
// ErrRetry: the caller's reading of the clock was off.
var ErrEarly = errors.New("deadline has not come yet")

// LateEventsError is the commit check's answer: the inbox holds events of these machines that
// happened before the last one decided. Nothing was committed; read and decide again.
type LateEventsError struct{ Keys []Key }

func (e *LateEventsError) Error() string {
	names := make([]string, 0, len(e.Keys))
	for _, k := range e.Keys {
		names = append(names, k.Machine)
	}
	return "events came in late for " + strings.Join(names, ", ")
}

// SQLSTATEs that our own functions raise (see migrations), and those of Postgres that a row can be
// to blame for.
const (
	stateFenced = "DT001"
	stateLate   = "DT002"
	stateEarly  = "DT003"
	stateCount  = "DT004"
	stateUnique = "23505"
)

// readFault classifies the error of a statement that changes nothing.
func readFault(op string, err error) error { return fault(op, err, ErrRetry) }

// writeFault classifies the error of a transaction that was sent.
func writeFault(op string, err error) error { return fault(op, err, ErrUnknown) }

// fault says in the package's words what err did to the transaction. A connection that was lost after
// something was sent has the outcome lost.
func fault(op string, err error, lost error) error {
	if err == nil {
		return nil
	}
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && pg.Severity != "FATAL" && pg.Severity != "PANIC":
		return refusal(op, pg, err)
	case pgconn.SafeToRetry(err), Unreachable(err):
		return fmt.Errorf("%s: %w: %w", op, ErrRetry, err)
	default:
		// A connection that the server ended (FATAL) belongs here too: it could have come to that
		// after the commit and before the answer.
		return fmt.Errorf("%s: %w: %w", op, lost, err)
	}
}

// refusal translates an error that Postgres answered with: the transaction is rolled back.
func refusal(op string, pg *pgconn.PgError, err error) error {
	switch pg.Code {
	case stateFenced:
		return fmt.Errorf("%s: %w: %w", op, ErrFenced, err)
	case stateLate:
		return fmt.Errorf("%s: %w", op, lateEvents(pg))
	case stateEarly:
		return fmt.Errorf("%s: %w: %w: %w", op, ErrRetry, ErrEarly, err)
	case stateUnique:
		return fmt.Errorf("%s: %w: %w", op, ErrDuplicate, err)
	case stateCount:
		// Somebody else took the row since it was read: reading again mends that. The timer table is
		// another matter: nobody else removes from it, so the batch does not fit what is stored.
		if pg.TableName == inboxTable || pg.TableName == snapshotTable {
			return fmt.Errorf("%s: %w: %w", op, ErrDuplicate, err)
		}
		return fmt.Errorf("%s: %w", op, err)
	}
	if blamesData(pg.Code) {
		return fmt.Errorf("%s: %w", op, err)
	}
	return fmt.Errorf("%s: %w: %w", op, ErrRetry, err)
}

// blamesData reports whether a SQLSTATE can be the fault of what was to be written. All others
// (locks, resources, privileges, a server in recovery, a schema that is not there) are no reason to
// suspend a machine.
func blamesData(code string) bool {
	switch code[:2] {
	case "21", "22", "23", "54", "XX": // cardinality, data exception, constraint, program limit, internal
		return true
	}
	return false
}

// lateEvents reads the machines from the commit check's detail. A detail that cannot be read gives an
// error without machines, which a caller takes for all of its batch.
func lateEvents(pg *pgconn.PgError) *LateEventsError {
	var pairs [][2]string
	if err := json.Unmarshal([]byte(pg.Detail), &pairs); err != nil {
		return &LateEventsError{}
	}
	e := &LateEventsError{Keys: make([]Key, 0, len(pairs))}
	for _, p := range pairs {
		e.Keys = append(e.Keys, Key{Namespace: p[0], Machine: p[1]})
	}
	return e
}

// bounded gives a call its limit in time.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}

// acquire takes a connection. That there is none is no reason to doubt what became of a transaction: it
// was not sent.
func (db *DB) acquire(ctx context.Context, op string) (*pgxpool.Conn, error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", op, ErrRetry, err)
	}
	return conn, nil
}

// Unreachable reports whether an error means that no connection came about: the database is not there,
// or only just starting.
func Unreachable(err error) bool {
	var connect *pgconn.ConnectError
	if !errors.As(err, &connect) {
		return false
	}
	var pg *pgconn.PgError
	return !errors.As(err, &pg) || pg.Code == "57P03" // cannot_connect_now
}
