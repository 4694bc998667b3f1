package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// procedure is how docs/semantics.md names a function: its name, then the file that has it.
var procedure = regexp.MustCompile("`(\\w+)` \\((\\w+\\.go)\\)")

// TestSemanticsNamesTheCode holds the table of procedures in docs/semantics.md to the code: every
// function that it names is in the file that it names.
func TestSemanticsNamesTheCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]map[string]bool{}
	named := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		found := procedure.FindAllStringSubmatch(cells[2], -1)
		named += len(found)
		if len(found) != strings.Count(cells[2], ".go)") {
			t.Errorf("not every function of this line can be read: %s", cells[2])
		}
		for _, f := range found {
			name, file := f[1], f[2]
			if files[file] == nil {
				files[file] = functions(t, filepath.Join("../machine", file))
			}
			if !files[file][name] {
				t.Errorf("internal/machine/%s has no function %s", file, name)
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d functions were found in the table", named)
	}
}

// functions returns the names of the functions and methods of a file.
func functions(t *testing.T, file string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, decl := range parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			names[f.Name.Name] = true
		}
	}
	return names
}
