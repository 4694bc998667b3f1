// Package testdb gives every test a Postgres database of its own.
//
//	func TestMain(m *testing.M) { testdb.Main(m) }
//
//	func TestClaim(t *testing.T) {
//		t.Parallel()
//		db := testdb.New(t, store.Migrate)
//		... db.URL ...
//	}
//
// A database is a copy of a template that is migrated once in each test process. It costs some 20 ms, no more
// than a schema would, and unlike a schema it lets the tables lie in the schema `detent` where they belong
// (docs/decisions/0010-a-database-for-each-test.md).
//
// # Where the server comes from
//
//   - DETENT_TEST_DATABASE_URL names a running server; its role must be able to create databases and roles.
//   - DETENT_TEST_POSTGRES=container starts one by testcontainers for each test process, from the image
//     DETENT_TEST_IMAGE (postgres:17-alpine).
//   - Otherwise devdb runs one cluster for all test processes of this account, without fsync, in the
//     cache directory. It is started by the first process that needs it and stopped by the last one
//     that leaves it, 50 ms each; a process that is killed leaves it to the next run. So `go test ./...`
//     needs nothing beforehand and leaves nothing running. DETENT_POSTGRES_BIN chooses the programs.
//
// # What is left behind
//
// Databases carry the token of their process in their name, and the process holds an advisory lock
// with that token. Each process first drops databases whose token nobody holds.
//
// Only tests import this package. It imports devdb, and pgx itself: it makes databases, while store
// works in one.
package testdb

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// patience bounds each step. It is wide, since it includes a download or an image pull.
const patience = 5 * time.Minute

// Database is a test's own database.
type Database struct {
	URL  string
	Name string
}

// New makes a database for the test, brought up to date by migrate (nil leaves it empty), and drops it
// when the test is over, together with connections that are still open. A test without a database is
// no test: if there is none, it fails.
func New(t testing.TB, migrate func(ctx context.Context, url string) error) *Database {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := shared()
	if err != nil {
		t.Fatalf("Postgres for tests: %v", err)
	}
	template, err := s.template(ctx, migrate)
	if err != nil {
		t.Fatalf("migrate the template database: %v", err)
	}
	name, err := s.create(ctx, template)
	if err != nil {
		t.Fatalf("create the test's database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return &Database{URL: s.urlOf(name), Name: name}
}

// Main runs a package's tests, and gives the server up afterwards. It does not return.
func Main(m *testing.M) {
	code := m.Run()
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, "Postgres for tests:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

var (
	sharedMu sync.Mutex
	sharedIs *server
	sharedAs error
)

// shared returns the server of this process, connected on first use.
func shared() (*server, error) {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if sharedIs == nil && sharedAs == nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		sharedIs, sharedAs = open(ctx)
	}
	return sharedIs, sharedAs
}

func closeShared() error {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if sharedIs == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return sharedIs.close(ctx)
}

// emptyTemplate is Postgres's own. Unlike template1 it admits no connections, and so can always be copied.
const emptyTemplate = "template0"

// template returns the name of the database that migrate has been run in.
func (s *server) template(ctx context.Context, migrate func(ctx context.Context, url string) error) (string, error) {
	if migrate == nil {
		return emptyTemplate, nil
	}
	s.templatesMu.Lock()
	defer s.templatesMu.Unlock()
	key := reflect.ValueOf(migrate).Pointer() // functions do not compare; their code's address does
	if name, made := s.templates[key]; made {
		return name, nil
	}
	name, err := s.create(ctx, emptyTemplate)
	if err != nil {
		return "", err
	}
	// Roles belong to the whole server: two processes that create the same one at once collide.
	err = s.alone(ctx, func() error { return migrate(ctx, s.urlOf(name)) })
	if err != nil {
		return "", err
	}
	s.templates[key] = name
	return name, nil
}

// quoted makes a name safe to stand in a statement that takes no parameters.
func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
