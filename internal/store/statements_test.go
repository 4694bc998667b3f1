package store

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/testdb"
)

// TestStatements prepares every statement of the package on a migrated database: names, types and
// parameters are right, whether or not another test runs the statement.
func TestStatements(t *testing.T) {
	t.Parallel()
	conn := connect(t, testdb.New(t, Migrate).URL)
	statements := statementsOf(t)
	if len(statements) < 40 {
		t.Fatalf("found only %d statements", len(statements))
	}
	for _, s := range statements {
		if strings.HasPrefix(s.name, "create") && strings.Contains(s.text, "COMMENT ON") {
			continue // a script of several statements, which every Migrate runs
		}
		text, _, err := pgx.NamedArgs{}.RewriteQuery(t.Context(), conn, s.text, nil)
		if err != nil {
			t.Errorf("%s: %s: %v", s.place, s.name, err)
			continue
		}
		if _, err := conn.Prepare(t.Context(), s.name, text); err != nil {
			t.Errorf("%s: %s: %v", s.place, s.name, err)
		}
	}
}

type statement struct {
	name, text string
	place      token.Position
}

// statementsOf finds the constants of the package that end in SQL, with their values: they may be
// put together of others.
func statementsOf(t *testing.T) []statement {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
	}
	// Constants do not depend on what is imported, so that imports need not be found: whatever error
	// that gives is not about them.
	config := types.Config{Importer: importer.Default(), Error: func(error) {}}
	pkg, _ := config.Check("store", files, parsed, nil)
	var found []statement
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if ok && strings.HasSuffix(name, "SQL") {
			found = append(found, statement{name, constant.StringVal(c.Val()), files.Position(c.Pos())})
		}
	}
	slices.SortFunc(found, func(a, b statement) int { return strings.Compare(a.name, b.name) })
	return found
}

// connect opens a session like those of the store.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(t.Context()) })
	if err := prepareSession(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return conn
}
