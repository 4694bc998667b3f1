package testdb

import (
	"context"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { Main(m) }

// connect opens a session that lasts as long as the test.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func column[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) []T {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return values
}

// migrateOnce fails when it is run in the same database again, or a second time in this process.
var migrations int

func migrateOnce(ctx context.Context, url string) error {
	migrations++
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `CREATE SCHEMA detent; CREATE TABLE detent.note (text text); INSERT INTO detent.note VALUES ('migrated ' || $1)`, pgx.QueryExecModeSimpleProtocol, strconv.Itoa(migrations))
	return err
}

// Tests that run at the same time, in databases made from one template, do not see each other's rows.
func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	for i := range 6 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			conn := connect(t, New(t, migrateOnce).URL)
			exec(t, conn, `INSERT INTO detent.note VALUES ($1)`, strconv.Itoa(i))
			got := column[string](t, conn, `SELECT text FROM detent.note ORDER BY text DESC`)
			if diff := cmp.Diff([]string{"migrated 1", strconv.Itoa(i)}, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// Without a migration the database is there, and empty.
func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	db := New(t, nil)
	conn := connect(t, db.URL)
	if got := column[string](t, conn, `SELECT current_database()::text`); got[0] != db.Name {
		t.Errorf("connected to %q, not to %q", got[0], db.Name)
	}
	if got := column[string](t, conn, `SELECT nspname::text FROM pg_namespace WHERE nspname = 'detent'`); len(got) != 0 {
		t.Errorf("an empty database has %q", got)
	}
}

// A test's database is gone when the test is, also when the test left connections open.
func TestDatabaseGoesWithItsTest(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("inner", func(t *testing.T) {
		db := New(t, nil)
		name = db.Name
		if _, err := pgx.Connect(t.Context(), db.URL); err != nil {
			t.Fatal(err)
		}
	})
	conn := connect(t, New(t, nil).URL)
	if got := column[string](t, conn, `SELECT datname::text FROM pg_database WHERE datname = $1`, name); len(got) != 0 {
		t.Errorf("%q is still there", got)
	}
}

// Databases of processes that are gone are dropped; those of living ones, this one's, are not.
func TestSweep(t *testing.T) {
	t.Parallel()
	mine := New(t, nil)
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	gone := *s.conn.Config()
	orphan := prefix + "2147483000_1" // above the tokens that takeToken gives out
	admin, err := pgx.ConnectConfig(t.Context(), &gone)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	exec(t, admin, "CREATE DATABASE "+orphan)
	if err := s.sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := column[string](t, admin, `SELECT datname::text FROM pg_database WHERE datname = ANY ($1)`, []string{orphan, mine.Name})
	if diff := cmp.Diff([]string{mine.Name}, got); diff != "" {
		t.Errorf("databases left (-want +got):\n%s", diff)
	}
}
