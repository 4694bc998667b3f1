package lint

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"testing"
)

// arrows are the imports that there are within the repository, by directory. What is not listed is
// not allowed; "/..." means the directories below, too.
var arrows = []struct {
	from string
	to   []string
	why  string
}{
	{"cmd/...", []string{"..."}, "commands put everything together"},
	{"internal/machine/...", []string{"internal/machine/..."}, "the core is pure: it must be possible to run it, and reason about it, with nothing around it"},
	{"internal/engine", []string{"internal/machine/...", "internal/store", "internal/clock"}, "the shell around the core; the only package that knows machine and store"},
	{"internal/store", []string{"internal/clock", "migrations"}, "Postgres, and no idea of what a machine is: rows hold bytes"},
	{"internal/scheduler", []string{"internal/store", "internal/clock"}, "it delivers deadlines; what they mean is the lane's business"},
	{"internal/outbox", []string{"internal/store", "internal/clock"}, "it makes calls; what they mean is the lane's business"},
	{"internal/worker", []string{"internal/engine", "internal/store", "internal/clock"}, "it leases buckets and runs lanes, which are given the worker's clock"},
	{"internal/api", []string{"internal/engine", "internal/store", "api"}, "HTTP without logic, held to the document in api"},
	{"internal/telemetry", []string{"internal/settings"}, "a leaf; it is configured by settings"},
	{"internal/devdb", nil, "a leaf"},
	{"internal/settings", nil, "a leaf"},
	{"internal/clock", nil, "a leaf"},
	{"migrations", nil, "embedded files"},
	{"api", nil, "an embedded file"},
}

// testOnly are directories whose packages serve tests and tools. They import what they like, and
// no product package imports them.
var testOnly = []string{
	"internal/testdb", "internal/lint", "internal/sim/...", "internal/conformance/...",
	"internal/api/apitest", "internal/engine/enginetest", "internal/store/storetest", "e2e/...", "tools/...", "docs/...", "examples/...",
}

// keepers are modules that one directory alone may import, and why.
var keepers = []struct{ module, keeper, why string }{
	{"github.com/jackc/pgx/v5", "internal/store", "all SQL is in one place, so that locks and transactions can be reviewed there"},
	{"github.com/golang-migrate/migrate/v4", "internal/store", "migrations are a matter of the database"},
	{"database/sql", "internal/store", "all SQL is in one place"},
	{"github.com/expr-lang/expr", "internal/machine/expr", "expressions are deterministic only as far as that package makes them so"},
	{"github.com/robfig/cron/v3", "internal/machine/cron", "schedules are deterministic only as far as that package makes them so"},
	{"go.yaml.in/yaml/v3", "internal/machine/syntax", "documents are decoded strictly in one place"},
	{"github.com/go-chi/chi/v5", "internal/api", "routes are one table"},
	{"github.com/prometheus/client_golang", "internal/telemetry", "metrics are behind methods named after what happened"},
	{"github.com/fergusstrange/embedded-postgres", "internal/devdb", "it is used for its download alone"},
	{"github.com/testcontainers/testcontainers-go", "internal/testdb", "tests ask for a database, not for a container"},
}

var importRules = []rule{
	{
		name:   "arrows",
		reason: "dependencies point one way (ARCHITECTURE.md); a new arrow is a decision about the architecture and belongs into the table in imports_test.go first",
		check:  checkArrows,
	},
	{
		name:   "keepers",
		reason: "a library behind one package can be replaced, and its pitfalls are known in one place",
		check:  checkKeepers,
	},
}

func TestImports(t *testing.T) {
	t.Parallel()
	apply(t, importRules)
}

// matches reports whether a directory fits a pattern such as "cmd/...".
func matches(pattern, dir string) bool {
	if pattern == "..." {
		return true
	}
	above, below := strings.CutSuffix(pattern, "/...")
	return dir == above || below && strings.HasPrefix(dir, above+"/")
}

func matchesAny(patterns []string, dir string) bool {
	for _, p := range patterns {
		if matches(p, dir) {
			return true
		}
	}
	return false
}

func checkArrows(f *file) []finding {
	if f.test() || matchesAny(testOnly, f.dir()) {
		return nil
	}
	var allowed []string
	why, known := "", false
	for _, a := range arrows {
		if matches(a.from, f.dir()) {
			allowed, why, known = a.to, a.why, true
			break
		}
	}
	if !known {
		return []finding{{f.path, f.line(f.ast.Name), "the package has no place in the architecture yet"}}
	}
	var found []finding
	for _, spec := range f.imports() {
		target, ours := strings.CutPrefix(importPath(spec.Path.Value), module+"/")
		switch {
		case !ours:
		case matchesAny(testOnly, target):
			found = append(found, finding{f.path, f.line(spec), fmt.Sprintf("%s imports %s, which is for tests", f.dir(), target)})
		case !matchesAny(allowed, target):
			found = append(found, finding{f.path, f.line(spec), fmt.Sprintf("%s must not import %s: %s", f.dir(), target, why)})
		}
	}
	return found
}

func checkKeepers(f *file) []finding {
	if f.test() || matchesAny(testOnly, f.dir()) && f.dir() != "internal/testdb" {
		return nil
	}
	var found []finding
	for _, spec := range f.imports() {
		for _, k := range keepers {
			if !matches(k.module+"/...", importPath(spec.Path.Value)) || f.dir() == k.keeper {
				continue
			}
			if f.dir() == "internal/testdb" && k.keeper == "internal/store" {
				continue // it makes the databases that store works in
			}
			found = append(found, finding{f.path, f.line(spec), fmt.Sprintf("only %s imports %s: %s", k.keeper, k.module, k.why)})
		}
	}
	return found
}

func importPath(quoted string) string {
	p, err := strconv.Unquote(quoted)
	if err != nil {
		panic(err) // the parser let it through
	}
	return path.Clean(p)
}

func TestImportRules(t *testing.T) {
	t.Parallel()
	wantFindings(t, checkArrows, "internal/machine/step.go", `package machine
import (
	"strings"
	"github.com/detent-run/detent/internal/machine/value"
	"github.com/detent-run/detent/internal/store" // found
)`)
	wantFindings(t, checkArrows, "internal/api/api.go", `package api
import "github.com/detent-run/detent/internal/machine" // found
import "github.com/detent-run/detent/internal/testdb" // found
import "github.com/detent-run/detent/internal/engine"`)
	wantFindings(t, checkArrows, "internal/api/api_test.go", `package api
import "github.com/detent-run/detent/internal/testdb"`)
	wantFindings(t, checkArrows, "internal/brandnew/new.go", `package brandnew // found`)
	wantFindings(t, checkArrows, "cmd/server/main.go", `package main
import "github.com/detent-run/detent/internal/machine"`)
	wantFindings(t, checkKeepers, "cmd/server/main.go", `package main
import "github.com/jackc/pgx/v5" // found
import "github.com/jackc/pgx/v5/pgxpool" // found
import "github.com/jackc/pgx/v55"`)
	wantFindings(t, checkKeepers, "internal/store/open.go", `package store
import "github.com/jackc/pgx/v5/pgxpool"
import "github.com/expr-lang/expr" // found`)
}
