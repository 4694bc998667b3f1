package expr

import (
	"testing"

	exprlang "github.com/expr-lang/expr"
)

// benchmarks are a usual guard, an assign, a search, and the worst that a budget allows.
var benchmarks = []struct{ name, source string }{
	{"guard", "context.n < 3 && event.kind == 'x'"},
	{"assign", "context.n + event.amount * 2"},
	{"member", "context.status in ['paid', 'shipped']"},
	{"search", "any(context.items, .sku == 'b' && .qty > 3)"},
	{"gather", "map(filter(context.items, .qty > 1), .sku)"},
}

func BenchmarkEval(b *testing.B) {
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			p, err := Compile(bb.source, Everywhere)
			if err != nil {
				b.Fatal(err)
			}
			s := sample(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Eval(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTwin is the same for expr-lang's virtual machine.
func BenchmarkTwin(b *testing.B) {
	s := sample(b)
	env := map[string]any{"context": toGo(s.Context), "event": toGo(s.Event)}
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			p, err := exprlang.Compile(bb.source, exprlang.Env(env))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := exprlang.Run(p, env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBudget is the worst case: every tick of a macrostep, spent on nothing.
func BenchmarkBudget(b *testing.B) {
	p, err := Compile("all(context.xs, all(context.xs, all(context.xs, true)))", Everywhere)
	if err != nil {
		b.Fatal(err)
	}
	s := large(10_000)
	for b.Loop() {
		if _, err := p.Eval(s); err == nil {
			b.Fatal("there is no limit")
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile("context.n < 3 && event.kind == 'x'", Everywhere); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTemplate(b *testing.B) {
	template, faults := CompileTemplate(parse(b, `{"type": "PAID", "order": "{{ self.id }}", "amount": "{{ event.amount }}", "note": "paid {{ event.amount }} by {{ context.s }}"}`), Everywhere)
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	s := sample(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := template.Eval(s); err != nil {
			b.Fatal(err)
		}
	}
}
