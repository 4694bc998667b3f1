package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 400
	maxFunctionLines = 70
	p90FunctionLines = 35 // of all functions of the product
)

var shapeRules = []rule{
	{
		name:   "file length",
		reason: "a file is about one concern; beyond this it is about several, and they can be named",
		check: func(f *file) []finding {
			if f.test() || f.lines() <= maxFileLines {
				return nil
			}
			return []finding{{f.path, f.lines(), fmt.Sprintf("%d lines, at most %d", f.lines(), maxFileLines)}}
		},
	},
	{
		name:   "function length",
		reason: "a function fits a screen, or its parts have names of their own",
		check: func(f *file) []finding {
			if f.test() { // a table of cases is as long as it is
				return nil
			}
			var found []finding
			for _, fn := range functions(f) {
				if n := length(f, fn); n > maxFunctionLines {
					found = append(found, finding{f.path, f.line(fn), fmt.Sprintf("%s has %d lines, at most %d", fn.Name.Name, n, maxFunctionLines)})
				}
			}
			return found
		},
	},
	{
		name:   "exported names are documented",
		reason: "what others may use is explained in a sentence: what it is for, not how it is spelled",
		check:  checkDocumented,
	},
	{
		name:   "no SQL outside of the store",
		reason: "statements and their locks are reviewed in one place",
		check:  checkSQL,
	},
	{
		name:   "nothing left to do",
		reason: "what is missing is an open item of the project, not a comment that nobody reads",
		check:  checkLeftovers,
	},
}

func TestShape(t *testing.T) {
	t.Parallel()
	apply(t, shapeRules)
}

func functions(f *file) []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			all = append(all, fn)
		}
	}
	return all
}

func length(f *file, fn *ast.FuncDecl) int {
	return f.set.Position(fn.End()).Line - f.line(fn) + 1
}

// TestFunctionsAreMostlyShort looks at the product as a whole: the tail is what separates code that is read
// with pleasure from code that is only large.
func TestFunctionsAreMostlyShort(t *testing.T) {
	t.Parallel()
	var lengths []int
	for _, f := range repository(t) {
		if f.test() || matchesAny(testOnly, f.dir()) {
			continue
		}
		for _, fn := range functions(f) {
			lengths = append(lengths, length(f, fn))
		}
	}
	slices.Sort(lengths)
	if p90 := lengths[len(lengths)*9/10]; p90 > p90FunctionLines {
		t.Errorf("one function in ten has more than %d lines, at most %d", p90, p90FunctionLines)
	}
}

// TestPackageComments wants one comment for each package, in one file: a small essay on its model, its
// invariants, and what it may import.
func TestPackageComments(t *testing.T) {
	t.Parallel()
	comments := map[string][]string{}
	for _, f := range repository(t) {
		if strings.HasSuffix(f.ast.Name.Name, "_test") {
			continue // an external test package
		}
		if _, seen := comments[f.dir()]; !seen {
			comments[f.dir()] = nil
		}
		if f.ast.Doc != nil {
			comments[f.dir()] = append(comments[f.dir()], f.ast.Doc.Text())
		}
	}
	for dir, texts := range comments {
		switch {
		case len(texts) == 0:
			t.Errorf("%s: the package has no comment", dir)
		case len(texts) > 1:
			t.Errorf("%s: the package has %d comments: one file tells what it is", dir, len(texts))
		case !strings.HasPrefix(texts[0], "Package ") && !strings.HasPrefix(texts[0], "Command "):
			t.Errorf("%s: the package's comment begins with %.20q, not with Package or Command", dir, texts[0])
		}
	}
}

// checkDocumented finds exported names without a comment. Members of a group are covered by the
// group's comment, constants of an enumeration by that of their type, constants and variables also by a
// comment at the end of the line.
func checkDocumented(f *file) []finding {
	if f.test() || f.ast.Name.Name == "main" {
		return nil
	}
	var found []finding
	add := func(name *ast.Ident, kind string, docs ...*ast.CommentGroup) {
		if !name.IsExported() || slices.ContainsFunc(docs, func(d *ast.CommentGroup) bool { return d != nil }) {
			return
		}
		found = append(found, finding{f.path, f.line(name), fmt.Sprintf("%s %s has no comment", kind, name.Name)})
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			// What a type must have to satisfy a well-known interface explains itself.
			if !selfEvident[d.Name.Name] || d.Recv == nil {
				if d.Recv == nil || exportedReceiver(d.Recv) {
					add(d.Name, "function", d.Doc)
				}
			}
		case *ast.GenDecl:
			enumerated := false
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, "type", d.Doc, s.Doc)
				case *ast.ValueSpec:
					if s.Type != nil || len(s.Values) > 0 { // else it repeats the one before
						_, named := s.Type.(*ast.Ident)
						enumerated = named && d.Tok == token.CONST
					}
					if enumerated {
						continue
					}
					for _, name := range s.Names {
						add(name, "name", d.Doc, s.Doc, s.Comment)
					}
				}
			}
		}
	}
	return found
}

var selfEvident = map[string]bool{
	"String": true, "Error": true, "Unwrap": true, "Is": true, "Len": true, "Less": true, "Swap": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "ServeHTTP": true, "Visit": true,
}

func exportedReceiver(recv *ast.FieldList) bool {
	t := recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

var statement = regexp.MustCompile(`(?s)^[\s` + "`" + `"]*(SELECT\s.+|INSERT INTO\s.+|UPDATE\s.+\sSET\s.+|DELETE FROM\s.+|WITH\s.+\sAS\s.+|LISTEN\s.+|NOTIFY\s.+)`)

func checkSQL(f *file) []finding {
	if f.test() || matches("internal/store/...", f.dir()) || matchesAny(testOnly, f.dir()) {
		return nil
	}
	var found []finding
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && statement.MatchString(lit.Value) {
			found = append(found, finding{f.path, f.line(lit), "an SQL statement"})
		}
		return true
	})
	return found
}

var leftover = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

func checkLeftovers(f *file) []finding {
	if f.dir() == "internal/lint" {
		return nil
	}
	var found []finding
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if m := leftover.FindString(c.Text); m != "" {
				found = append(found, finding{f.path, f.line(c), m})
			}
		}
	}
	return found
}

func TestShapeRules(t *testing.T) {
	t.Parallel()
	long := "package p\n\nfunc f() { // found\n" + strings.Repeat("\tf()\n", maxFunctionLines-1) + "}\n"
	wantFindings(t, shapeRules[1].check, "p.go", long)
	wantFindings(t, shapeRules[0].check, "p.go", "package p\n"+strings.Repeat("\n", maxFileLines-1)+"// found")
	wantFindings(t, shapeRules[0].check, "p_test.go", "package p\n"+strings.Repeat("\n", maxFileLines))
	wantFindings(t, checkDocumented, "p.go", `package p
type T struct{} // found
func (T) String() string { return "" }
func (T) Method() {} // found
type hidden struct{}
func (hidden) Method() {}
// A group.
const (
	A = 1
	B = 2
)
type Color int // found

const (
	Red Color = iota
	Green
	Answer, // found
	question = 42, 43
)
var X, // found
	y = 1, 2`)
	wantFindings(t, checkSQL, "internal/engine/p.go", "package p\nvar q = `SELECT 1 FROM detent.inbox` // found"+`
var ok = "SELECTED"
var u = "UPDATE detent.timer SET no = 1" // found
var v = "UPDATE your settings"`)
	wantFindings(t, checkLeftovers, "p.go", "package p\n// "+"TO"+"DO: later // found\n// todos los dias")
}
