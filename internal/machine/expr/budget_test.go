package expr

import (
	"math"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/machine/value"
)

// large is a scope with an array of n integers and a text of n characters.
func large(n int) *Scope {
	xs := make([]value.Value, n)
	for i := range xs {
		xs[i] = value.OfInt(int64(i))
	}
	return &Scope{Context: value.OfObject(
		value.Member{Key: "xs", Value: value.OfArray(xs)},
		value.Member{Key: "s", Value: value.OfText(strings.Repeat("é", n))},
		value.Member{Key: "n", Value: value.OfInt(math.MaxInt64)},
	)}
}

// TestBudget shows that what would take for ever, or all memory, ends in an error.
func TestBudget(t *testing.T) {
	t.Parallel()
	const (
		ticks  = "more than 100000 runs of predicates in one macrostep"
		work   = "more than 5000000 elements looked at in one macrostep"
		memory = "more than 10000000 bytes of arrays, objects and texts made in one macrostep"
	)
	tests := [][2]string{
		{"all(context.xs, all(context.xs, all(context.xs, true)))", ticks},
		{"all(context.xs, -1 not in context.xs)", work},
		{"all(context.xs, context.xs == reverse(reverse(context.xs)))", memory},
		{"all(context.xs, context.xs == context.xs[0:])", work},
		{"all(context.xs, context.s != context.s[:-1] + 'x')", memory},
		{"all(context.xs, get(context.s, 1000000) == nil)", work},
		{"all(context.xs, len(context.s) > 0)", work},
		{"all(context.xs, not (context.s matches '^(é|e)*x$'))", work},
		{"all(context.xs, not (context.s matches 'x' + '$'))", work},
		{"all(context.xs, context.s contains 'ê' == false)", work},
		{"map(context.xs, 1..1000)", memory},
		{"map(context.xs, sort(context.xs))", memory},
		{"map(context.xs, toJSON(context.xs))", memory},
		{"reduce(1..100, #acc + #acc, 'xxxxxxxx')", memory},
		{"reduce(1..100, concat(#acc, #acc), [1])", memory},
		{"toJSON(reduce(1..100, ({a: #acc, b: #acc}), 1))", memory},
		{"reduce(1..100, [#acc, #acc], 1) == reduce(1..100, [#acc, #acc], 1)", work},
		{"flatten(reduce(1..100, [#acc, #acc], 1))", memory},
		{"max(reduce(1..100, [#acc, #acc], 1))", memory},
		{"reduce(1..100, [#acc, #acc], 1)", work},
		{"fromPairs([reduce(1..100, [#acc, #acc], 1)])", "fromPairs takes pairs [text, value], not an array"},
		{"sort([1, reduce(1..100, [#acc, #acc], 1)])", "an array and the number 1 cannot be compared: only two numbers or two texts can"},
		{"reduce(1..600, [#acc], 1)", "the result nests deeper than 500 arrays and objects"},
		{"repeat('x', context.n)", memory},
		{"repeat('', context.n)", memory},
		{"repeat('xy', 5000001)", memory},
		{"replace(context.s, '', context.s)", memory},
		{"join(map(context.xs, 'x'), context.s)", memory},
		{"1..context.n", "the range 1..9223372036854775807 is too long"},
		{"-context.n..context.n", "the range -9223372036854775807..9223372036854775807 is too long"},
		{"map(1..400000, ({a: 1}))", memory},
		{"map(1..90000, ({a: #, b: #}))", memory},
		{"map(1..90000, split('a,b,c', ','))", memory},
		{"map(1..100, trim(context.s, context.s))", work},
	}
	for _, tt := range tests {
		p, err := Compile(tt[0], Everywhere)
		if err != nil {
			t.Errorf("%s: %v", tt[0], err)
			continue
		}
		if v, err := p.Eval(large(10_000)); err == nil {
			t.Errorf("%s = %.80s", tt[0], v)
		} else if got := err.(*EvalError).Message; got != tt[1] {
			t.Errorf("%s\n got %s\nwant %s", tt[0], got, tt[1])
		}
	}
}

// TestBudgetIsShared shows that a macrostep's evaluations share what they may spend.
func TestBudgetIsShared(t *testing.T) {
	t.Parallel()
	p, err := Compile("count(context.xs, true)", Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	s := large(MaxTicks / 4)
	for range 5 { // a fresh budget for each
		if _, err := p.Eval(s); err != nil {
			t.Fatal(err)
		}
	}
	s.Budget = &Budget{}
	for range 4 {
		if _, err := p.Eval(s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Eval(s); err == nil || s.Budget.Ticks != MaxTicks {
		t.Errorf("got %v after %d ticks", err, s.Budget.Ticks)
	}
}

// TestNoAllocation holds guards to what the package comment promises.
func TestNoAllocation(t *testing.T) {
	s := sample(t)
	s.Budget = &Budget{}
	for _, source := range []string{
		"context.n < 3 && event.kind == 'x'",
		"context.status in ['paid', 'shipped'] || context.n in 1..3",
		"(context.nothing?.here ?? 7) > 5",
		"inState('#open') and not hasTag('idle')",
		"any(context.items, .qty * 2 == 10 && #index > 0)",
		"let twice = context.n * 2; twice + len(context.xs) - 1",
		"context.s startsWith 'h' && context.s matches '^h'",
		"now - 5000",
	} {
		p, err := Compile(source, Everywhere)
		if err != nil {
			t.Fatal(err)
		}
		allocations := testing.AllocsPerRun(100, func() {
			*s.Budget = Budget{}
			if _, err := p.Eval(s); err != nil {
				t.Fatal(err)
			}
		})
		if allocations > 0 {
			t.Errorf("%s allocates %v times", source, allocations)
		}
	}
}
