package expr

import (
	"math/rand/v2"
	"testing"

	"github.com/detent-run/detent/internal/machine/value"
)

// FuzzCompileEval looks for expressions that panic, that are not deterministic, or that give what
// is no value. That they end at all shows that they are bounded.
func FuzzCompileEval(f *testing.F) {
	for _, group := range evalTests {
		for _, tt := range group.tests {
			f.Add(tt[0])
		}
	}
	for seed := range uint64(50) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 2))}
		f.Add(g.expression(kind(g.IntN(int(kinds))), 3))
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Compile(source, every)
		if err != nil {
			if _, ok := err.(*CompileError); !ok || err.Error() == "" {
				t.Fatalf("%q: %v", source, err)
			}
			return
		}
		first, firstErr := p.Eval(sample(t))
		second, secondErr := p.Eval(sample(t))
		if (firstErr == nil) != (secondErr == nil) || first.String() != second.String() {
			t.Fatalf("%q: %v %v, then %v %v", source, first, firstErr, second, secondErr)
		}
		if firstErr != nil {
			if _, ok := firstErr.(*EvalError); !ok || firstErr.Error() != secondErr.Error() {
				t.Fatalf("%q: %v, then %v", source, firstErr, secondErr)
			}
			return
		}
		read, err := value.Parse([]byte(first.String()))
		if err != nil || !value.Equal(read, first) || first.IsAbsent() {
			t.Fatalf("%q gives %s, which reads as %s (%v)", source, first, read, err)
		}
	})
}

// FuzzTemplate looks for texts that panic, that change without an expression in them, or that give
// what is no value.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		"plain", "{{ context.n }}", "a {{ context.s }} b {{ now }}", "{{ '{{' }}", "{{ '}}' }}", "{{ {a: {b: 1}} }}", "{{ `}}` }}",
		"{{ 1 /* }} */ }}", "{{ 1 // }}\n}}", "{{", "}}", "{{ }}", "{{{{ 1 }}}}", "{{ \"\\\"}}\" }}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !validText(text) {
			return
		}
		template, faults := CompileTemplate(value.OfText(text), every)
		if len(faults) > 0 {
			return
		}
		got, err := template.Eval(sample(t))
		if err != nil {
			return
		}
		if texts, _, _ := splitTemplate(text); len(texts) == 1 && got.Text() != text {
			t.Fatalf("%q became %s", text, got)
		}
		if _, err := value.Parse([]byte(got.String())); err != nil {
			t.Fatalf("%q gives %s: %v", text, got, err)
		}
	})
}
