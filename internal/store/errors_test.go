package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestFaults: what an answer of Postgres, or the lack of one, says about the transaction.
func TestFaults(t *testing.T) {
	t.Parallel()
	refused := func(code string) error { return &pgconn.PgError{Severity: "ERROR", Code: code} }
	count := func(table string) error {
		return &pgconn.PgError{Severity: "ERROR", Code: "DT004", TableName: table}
	}
	fatal := &pgconn.PgError{Severity: "FATAL", Code: "57P01"}
	bad := errors.New("the batch's own fault")
	for _, c := range []struct {
		what        string
		err         error
		read, write error
	}{
		{"fenced", refused("DT001"), ErrFenced, ErrFenced},
		{"early", refused("DT003"), ErrRetry, ErrRetry},
		{"unique", refused("23505"), ErrDuplicate, ErrDuplicate},
		{"inbox rows missing", count("inbox"), ErrDuplicate, ErrDuplicate},
		{"snapshots missing", count("snapshot"), ErrDuplicate, ErrDuplicate},
		{"timers missing", count("timer"), bad, bad},
		{"serialization", refused("40001"), ErrRetry, ErrRetry},
		{"deadlock", refused("40P01"), ErrRetry, ErrRetry},
		{"lock timeout", refused("55P03"), ErrRetry, ErrRetry},
		{"statement timeout", refused("57014"), ErrRetry, ErrRetry},
		{"disk full", refused("53100"), ErrRetry, ErrRetry},
		{"read only", refused("25006"), ErrRetry, ErrRetry},
		{"no privilege", refused("42501"), ErrRetry, ErrRetry},
		{"no such table", refused("42P01"), ErrRetry, ErrRetry},
		{"io error", refused("58030"), ErrRetry, ErrRetry},
		{"check", refused("23514"), bad, bad},
		{"not UTF-8", refused("22021"), bad, bad},
		{"too large for an index", refused("54000"), bad, bad},
		{"data corrupted", refused("XX001"), bad, bad},
		{"session ended", fatal, ErrRetry, ErrUnknown},
		{"cut off", io.ErrUnexpectedEOF, ErrRetry, ErrUnknown},
		{"cancelled", context.Canceled, ErrRetry, ErrUnknown},
		{"no connection", fmt.Errorf("x: %w", &pgconn.ConnectError{Config: &pgconn.Config{}}), ErrRetry, ErrRetry},
	} {
		for kind, f := range map[string]struct {
			got  error
			want error
		}{"read": {readFault("op", c.err), c.read}, "write": {writeFault("op", c.err), c.write}} {
			if !errors.Is(f.got, c.err) {
				t.Errorf("%s: a %s loses its cause: %v", c.what, kind, f.got)
			}
			for _, sentinel := range []error{ErrFenced, ErrDuplicate, ErrRetry, ErrUnknown, ErrNotFound, ErrConflict} {
				if errors.Is(f.got, sentinel) != (sentinel == f.want) {
					t.Errorf("%s: a %s is %v, want %v", c.what, kind, f.got, f.want)
				}
			}
		}
	}
	if readFault("op", nil) != nil || writeFault("op", nil) != nil {
		t.Error("no error became one")
	}
}

func TestLateEvents(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		`[["default", "a"], ["default", "b/c~1"]]`: "op: events came in late for a, b/c~1",
		`nonsense`: "op: events came in late for ",
	} {
		err := writeFault("op", &pgconn.PgError{Severity: "ERROR", Code: "DT002", Detail: detail})
		var late *LateEventsError
		if !errors.As(err, &late) || err.Error() != want {
			t.Errorf("%s: %v", detail, err)
		}
	}
}
