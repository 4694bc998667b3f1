package expr

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes random expressions that are mostly well typed. What a leaf is stands in the
// context, so that expr-lang's type checker cannot refuse the expression beforehand.
type generator struct{ *rand.Rand }

// kind is a type of the generator: what an expression is meant to give.
type kind int

const (
	anInt kind = iota
	aNumber
	aBool
	aText
	ints  // an array of integers
	texts // an array of texts
	items // an array of objects {k: text, q: integer}
	kinds
)

// leaves are the members of the context of each kind; those of differentialContext.
var leaves = [kinds][]string{
	anInt:   {"context.zero", "context.one", "context.minus", "context.seven", "context.large", "7", "0", "-3"},
	aNumber: {"context.half", "context.third", "context.minusHalf", "2.5", "context.seven"},
	aBool:   {"context.yes", "context.no", "true", "false"},
	aText:   {"context.empty", "context.abc", "context.umlaut", "'b'", `"x y"`},
	ints:    {"context.ints", "context.none", "context.same", "[1, 2]"},
	texts:   {"context.texts", "context.none", "['b', 'a']"},
	items:   {"context.items", "context.none"},
}

const differentialContext = `{"zero": 0, "one": 1, "minus": -4, "seven": 7, "large": 4611686018427387904, "half": 0.5, "third": 0.3333333333333333,
	"minusHalf": -0.5, "yes": true, "no": false, "empty": "", "abc": "abc", "umlaut": "äöü", "ints": [3, -1, 2, 3], "none": [], "same": [5, 5, 5],
	"texts": ["b", "a", "c", "a"], "items": [{"k": "x", "q": 1}, {"k": "y", "q": -2}, {"k": "x", "q": 3}], "nil": null, "o": {"a": 1, "b": "two", "c": [1]}}`

// forms are what each kind may be made of: %i, %n, %b, %t, %I, %T, %O stand for an expression of a
// kind, %? for one of any kind, # is used inside predicates only. findLast and findLastIndex are
// missing: when they find nothing, expr-lang's machine leaves a false on its stack, and whatever
// comes next takes it for an operand.
var forms = [kinds][]string{
	anInt: {
		"(%i + %i)", "(%i - %i)", "(%i * %i)", "(%i % %i)", "-%i", "len(%t)", "len(%I)", "len(%O)", "sum(%I)", "sum(%I, # * %i)", "sum(%O, .q)",
		"count(%I, # > %i)", "%I[%i]", "first(%I) ?? %i", "last(%I)", "abs(%i)", "int(%n)", "int(%i)", "reduce(%I, #acc + #, %i)", "reduce(%I, #acc * 2 - # + #index)",
		"findIndex(%I, # == %i) ?? %i", "find(%I, # > %i) ?? %i", "(%b ? %i : %i)", "indexOf('abcabc', %t)",
		"bitand(%i, %i)", "bitor(%i, %i)", "bitxor(%i, %i)", "bitnot(%i)", "bitshr(%i, %i)", "context.o.a", "context['seven']", "get(%I, %i) ?? %i",
		"context.o?.a", "(context.nil?.a ?? %i)", "(let v%d = %i; v%d + %i)", "if %b { %i } else { %i }", "max(%i, %i)", "min(%I) ?? 0", "context.items[%i].q",
	},
	aNumber: {
		"(%n + %n)", "(%n - %n)", "(%n * %n)", "(%n / %n)", "(%i / %i)", "(%i ** 2)", "(%n ** 2)", "ceil(%n)", "floor(%n)", "round(%n)", "abs(%n)",
		"mean(%I)", "median(%I)", "mean(%i, %n)", "max(%n, %i, %n)", "min(%n, %I)", "float(%n)", "(%b ? %n : %i)", "sum(%I, # / 2)",
	},
	aBool: {
		"(%b && %b)", "(%b || %b)", "!%b", "not %b", "(%i < %i)", "(%n <= %n)", "(%i > %n)", "(%t >= %t)", "(%t < %t)", "(%i == %i)", "(%n != %n)", "(%t == %t)",
		"(%I == %I)", "(%O == %O)", "(%i in %I)", "(%t in %T)", "(%t not in %T)", "(%t in context.o)", "(%i in %i..%i)", "(%t contains %t)", "(%t startsWith %t)",
		"(%t endsWith %t)", "(%t matches '^a.*c$')", "(%t matches '[äb]')", "all(%I, # > %i)", "none(%I, # == %i)", "any(%T, # == %t)", "one(%I, # > %i)", "all(%O, .q > %i && .k != %t)",
		"any(%I, any(%I, # > %i))", "(context.nil == %?)", "(context.missing == nil)", "hasPrefix(%t, %t)", "hasSuffix(%t, %t)", "(%i < %i < %i)", "(%? == %?)",
	},
	aText: {
		"(%t + %t)", "upper(%t)", "lower(%t)", "trim(%t)", "trim(%t, 'a')", "trimPrefix(%t, 'a')", "trimSuffix(%t, %t)", "repeat(%t, 2)", "repeat(%t, %i)", "join(%T, %t)",
		"replace(%t, %t, 'z')", "replace(%t, 'a', %t, 1)", "string(int(%i))", "string(!%b)", "%T[%i]", "toBase64(%t)", "fromBase64(toBase64(%t))", "toJSON(int(%i))", "toJSON(!%b)", "'abcdef'[%i:%i]",
		"(%b ? %t : %t)", "get(%T, %i) ?? %t", "context.o.b", "find(%T, # > %t) ?? ''", "type(%t)", "type(%I)", "type(%b)", "reduce(%T, #acc + #, '')", "(%t | upper() | trim('A'))",
	},
	ints: {
		"[%i, %i]", "[%i]", "map(%I, # + %i)", "map(%I, #index)", "map(%O, .q)", "filter(%I, # > %i)", "filter(%I, %b)", "sort(%I)", "sort(%I, 'desc')", "reverse(%I)", "%I[%i:%i]",
		"%I[%i:]", "%I[:%i]", "concat(%I, %I)", "uniq(%I)", "flatten([%I, %I])", "take(%I, 2)", "take(%I, %i)", "(%b ? %I : %I)", "(1..3)", "(%i..3)", "sortBy(%I, -#)", "map(1..3, # * %i)",
		"map(%T, len(#))", "fromJSON('[1, 2]')", "map(%I, map([#], # + 1)[0])", "values({a: %i})", "(let w%d = %I; map(w%d, # + len(w%d)))",
	},
	texts: {
		"[%t, %t]", "map(%O, .k)", "map(%T, upper(#))", "map(%I, string(int(#)))", "split(%t, 'b')", "split(%t, '')", "split(%t, 'b', 2)", "splitAfter(%t, 'b')", "sort(%T)", "reverse(%T)", "concat(%T, %T)",
		"uniq(%T)", "filter(%T, # != %t)", "sort(keys(context.o))", "sort(keys(groupBy(%O, .k)))", "map(toPairs({k: %t}), #[0])", "(%b ? %T : %T)",
	},
	items: {
		"filter(%O, .q > %i)", "[{k: %t, q: %i}]", "sortBy(%O, .q)", "sortBy(%O, .k, 'desc')", "concat(%O, %O)", "map(%O, ({k: .k + %t, q: .q * 2}))", "groupBy(%O, .k)['x'] ?? []", "%O[1:]", "reverse(%O)",
		"map(%I, ({k: %t, q: #}))", "[fromPairs([['k', %t], ['q', %i]])]", "map(%O, first(context.o.c) > 0 ? {k: 'k', q: 1} : #)",
	},
}

// expression makes one of the kind; one in fifty is of another kind by mistake.
func (g *generator) expression(k kind, depth int) string {
	if g.IntN(50) == 0 {
		k = kind(g.IntN(int(kinds)))
	}
	if depth <= 0 || g.IntN(4) == 0 {
		return leaves[k][g.IntN(len(leaves[k]))]
	}
	form := forms[k][g.IntN(len(forms[k]))]
	form = strings.ReplaceAll(form, "%d", fmt.Sprint(g.IntN(1_000_000)))
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		if form[i] != '%' || i+1 == len(form) {
			b.WriteByte(form[i])
			continue
		}
		at := strings.IndexByte("inbtITO?", form[i+1])
		switch {
		case at < 0: // the operator
			b.WriteByte('%')
			continue
		case at == int(kinds):
			at = g.IntN(int(kinds))
		}
		i++
		b.WriteString(g.expression(kind(at), depth-1))
	}
	return b.String()
}
