package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pureDirs is the pure core.
const pureDirs = "internal/machine/..."

// impureImports are what the core must do without. Each stands for the packages below it, too.
var impureImports = map[string]string{
	"context":      "nothing in the core waits or is cancelled",
	"os":           "the core does no I/O",
	"io/ioutil":    "the core does no I/O",
	"net":          "the core does no I/O",
	"syscall":      "the core does no I/O",
	"log":          "what happened is in the trace that Step returns",
	"sync":         "one goroutine at a time uses a value of the core; what is shared is immutable",
	"math/rand":    "a step repeated must give the same bytes",
	"crypto/rand":  "a step repeated must give the same bytes",
	"hash/maphash": "a step repeated, in another process too, must give the same bytes",
	"reflect":      "what depends on the layout of Go types is not a semantics; and it ranges over maps unseen",
}

// clockNames are the functions and variables of package time that read a clock, start one, or read the
// host's zone files.
var clockNames = map[string]bool{
	"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true, "AfterFunc": true, "Tick": true,
	"NewTimer": true, "NewTicker": true, "Local": true, "LoadLocation": true,
}

var purityRule = rule{
	name: "pure core",
	reason: "the core is a pure function: the same definition, snapshot, event and moment give the same bytes, in every process, for ever. " +
		"That is what lets history be folded again, steps be retried, and the core be tested without a clock (ARCHITECTURE.md)",
	check: checkPureSyntax,
}

func TestPurity(t *testing.T) {
	t.Parallel()
	apply(t, []rule{purityRule})
}

// checkPureSyntax finds what needs no types: imports, goroutines, channels, clocks.
func checkPureSyntax(f *file) []finding {
	if f.test() || !matches(pureDirs, f.dir()) {
		return nil
	}
	var found []finding
	for _, spec := range f.imports() {
		for name, why := range impureImports {
			if matches(name+"/...", importPath(spec.Path.Value)) {
				found = append(found, finding{f.path, f.line(spec), fmt.Sprintf("imports %s: %s", importPath(spec.Path.Value), why)})
			}
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, finding{f.path, f.line(n), "starts a goroutine"})
		case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			found = append(found, finding{f.path, f.line(n), "uses a channel"})
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && clockNames[n.Sel.Name] {
				found = append(found, finding{f.path, f.line(n), "time." + n.Sel.Name + ": time is an argument here"})
			}
		}
		return true
	})
	return found
}

// TestNoMapOrder type-checks the core to find where the order of a map could show.
func TestNoMapOrder(t *testing.T) {
	t.Parallel()
	packages, exports := listCore(t)
	set := token.NewFileSet()
	compiled := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	var found []finding
	for _, p := range packages {
		var files []*file
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			rel := strings.TrimPrefix(p.ImportPath, module+"/") + "/" + name
			f, err := parseInto(set, rel, string(text))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		breaches, err := mapOrder(p.ImportPath, set, files, compiled)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, breaches...)
	}
	report(t, purityRule, found)
}

// listed is what `go list` says about a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listCore returns the core's packages, and the compiler's export data of all that they import.
func listCore(t *testing.T) (core []listed, exports map[string]string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./"+pureDirs)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	exports = map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return core, exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if matches(module+"/"+pureDirs, p.ImportPath) {
			core = append(core, p)
		}
	}
}

// mapOrder finds ranges over maps, and iterators over maps that are not sorted at once.
func mapOrder(path string, set *token.FileSet, files []*file, imp types.Importer) ([]finding, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	var trees []*ast.File
	for _, f := range files {
		trees = append(trees, f.ast)
	}
	conf := types.Config{Importer: imp}
	if _, err := conf.Check(path, set, trees, info); err != nil {
		return nil, err
	}
	var found []finding
	for _, f := range files {
		sorted := map[ast.Expr]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if _, isMap := info.TypeOf(n.X).Underlying().(*types.Map); isMap {
					found = append(found, finding{f.path, f.line(n), "ranges over a map: its order changes from run to run"})
				}
			case *ast.CallExpr:
				switch function := calledFrom(info, n); {
				case strings.HasPrefix(function, "slices.Sorted"):
					sorted[n.Args[0]] = true
				case mapIterators[function] && !sorted[n]:
					found = append(found, finding{f.path, f.line(n), function + " is not sorted at once (slices.Sorted)"})
				}
			}
			return true
		})
	}
	return found, nil
}

var mapIterators = map[string]bool{"maps.Keys": true, "maps.Values": true, "maps.All": true}

// calledFrom returns the called function as "package.Name", "" if it is not a package's function.
func calledFrom(info *types.Info, call *ast.CallExpr) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return ""
	}
	return fn.Pkg().Path() + "." + fn.Name()
}

func TestPurityRule(t *testing.T) {
	t.Parallel()
	wantFindings(t, checkPureSyntax, "internal/machine/expr/eval.go", `package expr
import (
	"context" // found
	"log/slog" // found
	"sort"
	"sync/atomic" // found
	"time"
)
func f(at time.Time, c chan int) { // found
	go f(at, nil) // found
	_ = time.Now() // found
	_ = at.Sub(time.Unix(0, 0))
	select {} // found
}`)
	wantFindings(t, checkPureSyntax, "internal/engine/lane.go", `package engine
import "context"`)
}

func TestMapOrderRule(t *testing.T) {
	t.Parallel()
	check := func(f *file) []finding {
		found, err := mapOrder("p", f.set, []*file{f}, importer.ForCompiler(f.set, "source", nil))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	wantFindings(t, check, "p.go", `package p
import ("maps"; "slices")
type set map[string]bool
func f(m set, l []int) {
	for range m { // found
	}
	for range l {
	}
	_ = slices.Sorted(maps.Keys(m))
	_ = slices.Collect(maps.Keys(m)) // found
	clear(m)
}`)
}
