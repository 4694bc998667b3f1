// Package lint holds the code of the whole repository to its rules, as tests. A rule that is only
// written down is a wish; here each rule is a function over parsed source, and each finding carries
// the rule's reason, so that whoever meets it can judge it instead of obeying it.
//
// The rules are those of ARCHITECTURE.md and CONTRIBUTING.md: which package may import which
// (imports_test.go), what the pure core must not do (purity_test.go), how large things get and what
// must be said about them (shape_test.go), names (names_test.go), and how tests are written
// (testing_test.go). Every rule is itself tested on a piece of source that breaks it.
//
// There is no way to switch a rule off for a line. If a rule is wrong somewhere, the rule is wrong:
// change it here, with its reason.
//
// The package is tests only, and uses only the standard library and the go command.
package lint

import (
	"cmp"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is the import path of the repository.
const module = "github.com/detent-run/detent"

// root is the repository as seen from this package's directory, where its tests run.
const root = "../.."

// file is one parsed Go file.
type file struct {
	path string // from the root, with slashes
	ast  *ast.File
	set  *token.FileSet
}

func (f *file) dir() string                { return path.Dir(f.path) }
func (f *file) test() bool                 { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) lines() int                 { return f.set.File(f.ast.FileStart).LineCount() }
func (f *file) imports() []*ast.ImportSpec { return f.ast.Imports }

// line returns where a node begins.
func (f *file) line(n ast.Node) int { return f.set.Position(n.Pos()).Line }

// finding is a breach of a rule.
type finding struct {
	path string
	line int // 0: the file as a whole
	text string
}

// rule finds breaches in one file.
type rule struct {
	name   string
	reason string
	check  func(f *file) []finding
}

// report fails the test for each finding.
func report(t *testing.T, r rule, findings []finding) {
	t.Helper()
	slices.SortFunc(findings, func(a, b finding) int { return cmp.Or(cmp.Compare(a.path, b.path), a.line-b.line) })
	for _, f := range findings {
		t.Errorf("%s:%d: %s", f.path, f.line, f.text)
	}
	if len(findings) > 0 {
		t.Logf("%s: why: %s", r.name, r.reason)
	}
}

// apply runs rules over the repository.
func apply(t *testing.T, rules []rule) {
	t.Helper()
	files := repository(t)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var findings []finding
			for _, f := range files {
				findings = append(findings, r.check(f)...)
			}
			report(t, r, findings)
		})
	}
}

// repository returns all Go files of the repository, parsed once.
func repository(t *testing.T) []*file {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("only %d Go files were found: the walk is wrong", len(files))
	}
	return files
}

var parsed = sync.OnceValues(func() ([]*file, error) {
	var files []*file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "node_modules" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(rel), string(text))
		if err != nil {
			return err
		}
		// What is built only when asked for (go generate's programs) is a package of its own.
		if !ignored(f.ast) {
			files = append(files, f)
		}
		return nil
	})
	return files, err
})

// parse parses a file's text.
func parse(name, text string) (*file, error) { return parseInto(token.NewFileSet(), name, text) }

func parseInto(set *token.FileSet, name, text string) (*file, error) {
	tree, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return &file{path: name, ast: tree, set: set}, err
}

// ignored reports whether a build constraint keeps the file out of every ordinary build.
func ignored(tree *ast.File) bool {
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if c.Pos() > tree.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			expr, err := constraint.Parse(c.Text)
			if err == nil && !expr.Eval(func(tag string) bool { return tag != "ignore" }) {
				return true
			}
		}
	}
	return false
}

// wantFindings tests a rule on source: the lines that it must find are marked by a comment "// found".
func wantFindings(t *testing.T, check func(f *file) []finding, name, source string) {
	t.Helper()
	f, err := parse(name, source)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []int
	for i, line := range strings.Split(source, "\n") {
		if strings.HasSuffix(line, "// found") {
			want = append(want, i+1)
		}
	}
	for _, b := range check(f) {
		got = append(got, b.line)
	}
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("in %s: found lines %v, want %v", name, got, want)
	}
}
