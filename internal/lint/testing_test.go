package lint

import (
	"go/ast"
	"slices"
	"testing"
)

var testingRules = []rule{
	{
		name:   "no skipped tests",
		reason: "a test that is skipped passes for the wrong reason; what it needs is provided, or it fails",
		check:  func(f *file) []finding { return checkCalls(f, "", "Skip", "Skipf", "SkipNow") },
	},
	{
		name:   "no sleeping",
		reason: "a sleep is too short on a busy machine and too long on all others: wait for what is expected, looking again and again in a loop, or use testing/synctest, whose sleeps take no time",
		check: func(f *file) []finding {
			if matches("e2e/...", f.dir()) {
				return nil // processes are killed at random moments there: the pause is the scenario
			}
			for _, spec := range f.imports() {
				if importPath(spec.Path.Value) == "testing/synctest" {
					return nil
				}
			}
			return checkCalls(f, "time", "Sleep")
		},
	},
}

func TestTests(t *testing.T) {
	t.Parallel()
	apply(t, testingRules)
}

// checkCalls finds calls of functions by name, of a package, or of anything when it is "".
func checkCalls(f *file, pkg string, names ...string) []finding {
	if pkg == "" && !f.test() {
		return nil
	}
	var found []finding
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if pkg == "time" {
				return false // it looks again and again
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains(names, sel.Sel.Name) {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && (pkg == "" && slices.Contains([]string{"t", "b", "tb", "f"}, x.Name) || x.Name == pkg) {
			found = append(found, finding{f.path, f.line(call), x.Name + "." + sel.Sel.Name})
		}
		return true
	})
	return found
}

func TestTestingRules(t *testing.T) {
	t.Parallel()
	wantFindings(t, testingRules[0].check, "a_test.go", `package a
func TestA(t *testing.T) {
	t.Skip("later") // found
	dec.Skip()
}`)
	wantFindings(t, testingRules[1].check, "a_test.go", `package a
import "time"
func TestA(t *testing.T) {
	time.Sleep(time.Second) // found
	for !done() {
		time.Sleep(time.Millisecond)
	}
	for range 100 {
		time.Sleep(time.Millisecond)
	}
}`)
	wantFindings(t, testingRules[1].check, "a_test.go", `package a
import ("testing/synctest"; "time")
func TestA(t *testing.T) {
	time.Sleep(time.Second)
}`)
}
