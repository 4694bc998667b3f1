package expr

import "github.com/detent-run/detent/internal/machine/value"

// variable is a name that an expression may read, where its place knows it.
type variable struct {
	name  string
	bit   Names
	known string // where the name is known, for who uses it elsewhere
	node  node
}

var variables = []variable{
	{"context", Context, "where the machine has a context", contextNode{}},
	{"event", Event, "where a machine handles an event", eventNode{}},
	{"params", Params, "in the guards and actions of setup, which are given params", paramsNode{}},
	{"input", Input, "in setup.context and in the initial transition", inputNode{}},
	{"now", Now, "where a machine handles an event", nowNode{}},
	{"self", Self, "where a machine handles an event", selfNode{}},
}

func lookupVariable(name string) (variable, bool) {
	for _, v := range variables {
		if v.name == name {
			return v, true
		}
	}
	return variable{}, false
}

// orNull turns Absent into null, so that no expression ever sees it.
func orNull(v value.Value) value.Value {
	if v.IsAbsent() {
		return value.NullValue
	}
	return v
}

type (
	contextNode struct{}
	eventNode   struct{}
	paramsNode  struct{}
	inputNode   struct{}
	selfNode    struct{}
	nowNode     struct{}
)

func (contextNode) eval(s *Scope) (value.Value, error) { return orNull(s.Context), nil }
func (eventNode) eval(s *Scope) (value.Value, error)   { return orNull(s.Event), nil }
func (paramsNode) eval(s *Scope) (value.Value, error)  { return orNull(s.Params), nil }
func (inputNode) eval(s *Scope) (value.Value, error)   { return orNull(s.Input), nil }
func (selfNode) eval(s *Scope) (value.Value, error)    { return orNull(s.Self), nil }
func (nowNode) eval(s *Scope) (value.Value, error)     { return value.OfInt(s.Now), nil }

// foreign are words that people bring from other languages, with what to write instead.
var foreign = []struct{ word, instead string }{
	{"null", "nil"},
	{"undefined", "nil"},
	{"None", "nil"},
	{"True", "true"},
	{"False", "false"},
	{"this", "self"},
}

// unknownName explains a bare word that names nothing at its place. known are the names that it
// might have been meant to be.
func unknownName(name string, known []string) string {
	for _, f := range foreign {
		if f.word == name {
			return "`" + name + "` names nothing here: write " + f.instead
		}
	}
	if near := nearest(name, known); near != "" {
		return "`" + name + "` names nothing here: did you mean `" + near + "`? (for a text write '" + name + "')"
	}
	return "`" + name + "` names nothing here; for a text write '" + name + "'"
}

// unknownFunction explains a call of a function that does not exist.
func unknownFunction(name string, known []string) string {
	if name == "raw" {
		return "raw(...) is for templates in URLs, there is nothing to encode here"
	}
	if near := nearest(name, known); near != "" {
		return "there is no function `" + name + "`: did you mean `" + near + "`?"
	}
	return "there is no function `" + name + "`"
}

// nearest returns the name of the smallest distance, "" when none is near.
func nearest(name string, known []string) string {
	best, distance := "", len(name)/3+1
	for _, k := range known {
		if d := editDistance(name, k); d < distance || (d == distance && best == "") {
			best, distance = k, d
		}
	}
	if distance >= len(name) {
		return ""
	}
	return best
}

// editDistance counts the bytes to insert, delete, replace or swap with their neighbour.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
