package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/testdb"
	"github.com/detent-run/detent/migrations"
)

// steps makes migrations of their texts, in their order.
func steps(ups ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i, up := range ups {
		files[fmt.Sprintf("%06d_step.up.sql", i+1)] = &fstest.MapFile{Data: []byte(up)}
		files[fmt.Sprintf("%06d_step.down.sql", i+1)] = &fstest.MapFile{Data: []byte("SELECT 1")}
	}
	return files
}

// The second migration stops in its middle, for as long as a test needs; mended, it does not.
var (
	slowSteps   = steps(`CREATE TABLE detent.a (n int)`, `CREATE TABLE detent.b (n int); SELECT pg_sleep(300); INSERT INTO detent.b VALUES (1)`)
	mendedSteps = steps(`CREATE TABLE detent.a (n int)`, `CREATE TABLE detent.b (n int); INSERT INTO detent.b VALUES (1)`)
)

const sleepingQuery = `
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'detent migrate' AND wait_event = 'PgSleep'`

func TestMigrateConcurrently(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := store.Migrate(t.Context(), db.URL); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if out, err := process(t, db.URL).CombinedOutput(); err != nil {
				t.Errorf("a process: %v: %s", err, out)
			}
		})
	}
	wg.Wait()
	files, err := fs.Glob(migrations.Files, "*.up.sql")
	if err != nil {
		t.Fatal(err)
	}
	want := []int64{}
	for i := range files {
		want = append(want, int64(i)+1)
	}
	if got := versions(t, db.URL); !slices.Equal(got, want) {
		t.Errorf("migrations that ran: %v, want %v", got, want)
	}
	if err := open(t, db.URL, store.Options{}).Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// process is this test binary as a program that migrates.
func process(t *testing.T, url string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), migrateURL+"="+url), env...)
	return cmd
}

func TestMigrateKilledProcess(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, nil)
	cmd := process(t, db.URL, migrateSlow+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sleeper(t, db.URL, &out)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process ended well, though it was killed")
	}
	healed(t, db.URL)
}

func TestMigrateKilledSession(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, nil)
	failed := make(chan error, 1)
	go func() { failed <- store.MigrateFrom(t.Context(), db.URL, slowSteps) }()
	pid := sleeper(t, db.URL, nil)
	exec1(t, db.URL, `SELECT pg_terminate_backend($1)`, pid)
	if err := <-failed; err == nil {
		t.Error("no error, though the session was ended in the middle of a migration")
	}
	healed(t, db.URL)
}

// TestMigrationAndItsNote: one transaction does both, so that nothing can come between them.
func TestMigrationAndItsNote(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, nil)
	made := `CREATE TABLE detent.made_%d AS SELECT pg_current_xact_id()::text AS by`
	if err := store.MigrateFrom(t.Context(), db.URL, steps(fmt.Sprintf(made, 1), fmt.Sprintf(made, 2))); err != nil {
		t.Fatal(err)
	}
	got := query1[bool](t, db.URL, `SELECT array_agg(xmin::text ORDER BY version) = ARRAY[(SELECT by FROM detent.made_1), (SELECT by FROM detent.made_2)] FROM detent.schema_version`)
	if !got {
		t.Error("a migration was noted by another transaction than its own")
	}
}

// healed asserts that nothing of a migration that was cut short is left, and that the next call to
// Migrate goes on from there.
func healed(t *testing.T, url string) {
	t.Helper()
	if got := versions(t, url); !slices.Equal(got, []int64{1}) {
		t.Errorf("migrations that ran: %v, want [1]", got)
	}
	if err := store.MigrateFrom(t.Context(), url, mendedSteps); err != nil {
		t.Fatal(err)
	}
	if got := versions(t, url); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("migrations that ran: %v, want [1 2]", got)
	}
	if got := query1[int64](t, url, `SELECT count(*) FROM detent.b`); got != 1 {
		t.Errorf("the second migration left %d rows", got)
	}
}

// sleeper waits until a migration is in its middle and returns its session.
func sleeper(t *testing.T, url string, out *bytes.Buffer) int32 {
	t.Helper()
	conn := session(t, url)
	for range 3000 {
		var pid int32
		err := conn.QueryRow(t.Context(), sleepingQuery).Scan(&pid)
		if err == nil {
			return pid
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no migration comes to its middle: %s", out)
	return 0
}

func TestMigrateFails(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, nil)
	bad := steps(`CREATE TABLE detent.a (n int)`, "CREATE TABLE detent.b (n int);\n\nINSERT INTO detent.b VALUES ('x')")
	err := store.MigrateFrom(t.Context(), db.URL, bad)
	if err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Fatalf("a wrong migration: %v", err)
	}
	if got := versions(t, db.URL); !slices.Equal(got, []int64{1}) {
		t.Errorf("migrations that ran: %v, want [1]", got)
	}
	healed(t, db.URL)
}

// TestMigrateWaitsForNoTable: a migration that cannot get its lock gives up, since everybody else
// would queue up behind it.
func TestMigrateWaitsForNoTable(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, nil)
	if err := store.MigrateFrom(t.Context(), db.URL, steps(`CREATE TABLE detent.a (n int)`)); err != nil {
		t.Fatal(err)
	}
	reader, err := session(t, db.URL).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Exec(t.Context(), `SELECT FROM detent.a`); err != nil {
		t.Fatal(err)
	}
	next := steps(`CREATE TABLE detent.a (n int)`, `ALTER TABLE detent.a ADD COLUMN m int`)
	if err := store.MigrateFrom(t.Context(), db.URL, next); err == nil || !strings.Contains(err.Error(), "lock timeout") {
		t.Errorf("with a reader in the way: %v", err)
	}
	if err := reader.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.MigrateFrom(t.Context(), db.URL, next); err != nil {
		t.Error(err)
	}
}

func TestMigrateTooNew(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, store.Migrate)
	known := versions(t, db.URL)
	exec1(t, db.URL, `INSERT INTO detent.schema_version VALUES (900)`)
	want := fmt.Sprintf("database was migrated by a newer version: it is at migration 900, this program knows up to %d", len(known))
	for what, err := range map[string]error{
		"migrate": store.Migrate(t.Context(), db.URL),
		"ping":    open(t, db.URL, store.Options{}).Ping(t.Context()),
	} {
		if !errors.Is(err, store.ErrTooNew) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := versions(t, db.URL); !slices.Equal(got, append(known, 900)) {
		t.Errorf("versions are now %v", got)
	}
}

func TestPingOld(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, store.Migrate)
	exec1(t, db.URL, `DELETE FROM detent.schema_version WHERE version = (SELECT max(version) FROM detent.schema_version)`)
	if err := open(t, db.URL, store.Options{}).Ping(t.Context()); err == nil || errors.Is(err, store.ErrTooNew) {
		t.Errorf("ping of an old database: %v", err)
	}
	empty := open(t, testdb.New(t, nil).URL, store.Options{})
	if err := empty.Ping(t.Context()); err == nil || errors.Is(err, store.ErrTooNew) {
		t.Errorf("ping of an empty database: %v", err)
	}
}

func TestMigrateEndsWithItsContext(t *testing.T) {
	t.Parallel()
	db := testdb.New(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 2)
	go func() { failed <- store.MigrateFrom(ctx, db.URL, slowSteps) }() // in its middle
	sleeper(t, db.URL, nil)
	go func() { failed <- store.MigrateFrom(ctx, db.URL, mendedSteps) }() // waits for the first
	conn := session(t, db.URL)
	for query1On[int64](t, conn, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	for range 2 {
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	healed(t, db.URL)
}

// TestMigrateDown runs all migrations, undoes them one by one, and runs them again.
func TestMigrateDown(t *testing.T) {
	t.Parallel()
	url := testdb.New(t, store.Migrate).URL
	const objects = `
SELECT string_agg(name, ' ' ORDER BY name) FROM (
    SELECT relname::text FROM pg_class WHERE relnamespace = 'detent'::regnamespace AND relkind IN ('r', 'v', 'i', 'S')
    UNION ALL
    SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'detent'::regnamespace
) o (name)`
	full := query1[string](t, url, objects)
	downs, err := fs.Glob(migrations.Files, "*.down.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Backward(downs) {
		text, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session(t, url).Exec(t.Context(), string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := query1[string](t, url, objects); left != "schema_version schema_version_pkey" {
		t.Errorf("left after all down migrations: %s", left)
	}
	exec1(t, url, `DELETE FROM detent.schema_version`)
	if err := store.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if again := query1[string](t, url, objects); again != full {
		t.Errorf("after migrating again:\n%s\nbefore:\n%s", again, full)
	}
}

// TestMigrateAsNobody: a role that may do no more than create in the database owns what it migrates,
// and runs on it.
func TestMigrateAsNobody(t *testing.T) {
	t.Parallel()
	role := fmt.Sprintf("store_test_%d", time.Now().UnixNano())
	var admin string // of another database: the test's own is dropped before its role
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), admin)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(context.Background(), `DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	db := testdb.New(t, nil)
	admin = strings.Replace(db.URL, "/"+db.Name, "/postgres", 1)
	exec1(t, db.URL, `CREATE ROLE `+role+` LOGIN PASSWORD 'nobody'`)
	exec1(t, db.URL, `GRANT CREATE ON DATABASE `+db.Name+` TO `+role)
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, "nobody")
	for range 2 { // the second time there is nothing to do
		if err := store.Migrate(t.Context(), u.String()); err != nil {
			t.Fatal(err)
		}
	}
	exec1(t, db.URL, `REVOKE CREATE ON DATABASE `+db.Name+` FROM `+role)
	if err := store.Migrate(t.Context(), u.String()); err != nil {
		t.Errorf("once everything is there: %v", err)
	}
	s := open(t, u.String(), store.Options{})
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Join(t.Context(), store.OwnerInfo{Host: "h", PID: 1, Lanes: 1}); err != nil {
		t.Error(err)
	}
}

func versions(t *testing.T, url string) []int64 {
	t.Helper()
	rows, err := session(t, url).Query(t.Context(), `SELECT version FROM detent.schema_version ORDER BY version`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// session is a connection beside the store.
func session(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec1(t testing.TB, url, statement string, args ...any) {
	t.Helper()
	if _, err := session(t, url).Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

func query1[V any](t testing.TB, url, query string, args ...any) V {
	t.Helper()
	return query1On[V](t, session(t, url), query, args...)
}

func query1On[V any](t testing.TB, conn *pgx.Conn, query string, args ...any) V {
	t.Helper()
	var v V
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
