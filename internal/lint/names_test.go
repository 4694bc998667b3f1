package lint

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// vague are names that say nothing about what is inside, so that anything gets in.
var vague = []string{
	"util", "utils", "common", "helper", "helpers", "misc", "shared", "types", "manager", "managers", "base", "lib", "pkg", "interfaces",
}

var nameRules = []rule{
	{
		name:   "names of packages and files",
		reason: "a package is named after what it provides; these names say nothing, and such packages grow without end",
		check: func(f *file) []finding {
			stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test")
			for _, name := range []string{f.ast.Name.Name, stem, path.Base(f.dir())} {
				if slices.Contains(vague, name) {
					return []finding{{f.path, f.line(f.ast.Name), "the name " + name}}
				}
			}
			return nil
		},
	},
	{
		name:   "no Get prefix",
		reason: "in Go a getter is named after what it returns; where work is done, the verb says which (load, find, read)",
		check: func(f *file) []finding {
			if f.test() {
				return nil
			}
			var found []finding
			for _, fn := range functions(f) {
				if getter.MatchString(fn.Name.Name) {
					found = append(found, finding{f.path, f.line(fn), fn.Name.Name})
				}
			}
			return found
		},
	},
	{
		name:   "no vague types",
		reason: "a noun like manager or helper hides what the type is responsible for",
		check: func(f *file) []finding {
			var found []finding
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if t, ok := n.(*ast.TypeSpec); ok && vagueType.MatchString(t.Name.Name) {
					found = append(found, finding{f.path, f.line(t), t.Name.Name})
				}
				return true
			})
			return found
		},
	},
}

var (
	getter    = regexp.MustCompile(`^[gG]et[A-Z]`)
	vagueType = regexp.MustCompile(`(Manager|Helper|Utils?|Common|Impl)$`)
)

func TestNames(t *testing.T) {
	t.Parallel()
	apply(t, nameRules)
}

func TestNameRules(t *testing.T) {
	t.Parallel()
	wantFindings(t, nameRules[0].check, "internal/utils/a.go", "package utils // found")
	wantFindings(t, nameRules[0].check, "internal/store/helpers_test.go", "package store // found")
	wantFindings(t, nameRules[0].check, "internal/store/key.go", "package store")
	wantFindings(t, nameRules[1].check, "a.go", "package a\nfunc GetName() {} // found\nfunc getName() {} // found\nfunc Getaway() {}")
	wantFindings(t, nameRules[2].check, "a.go", "package a\ntype LeaseManager struct{} // found\ntype Lease struct{}")
}
