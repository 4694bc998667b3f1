package machine_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// compile compiles a definition in YAML.
func compile(tb testing.TB, text string) *machine.Definition {
	tb.Helper()
	doc, err := syntax.DecodeYAML([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	d, err := machine.Compile(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func parse(tb testing.TB, text string) value.Value {
	tb.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func start(tb testing.TB, d *machine.Definition) machine.Snapshot {
	tb.Helper()
	r, err := d.Start(&machine.Identity{ID: "m"}, value.Value{}, machine.Moment{})
	if err != nil {
		tb.Fatal(err)
	}
	return r.Snapshot
}

const (
	toggle  = `{machine: {id: m, initial: a, states: {a: {on: {E: b}}, b: {on: {E: a}}}}}`
	counter = `{machine: {id: m, context: {n: 0}, on: {E: {actions: {assign: {n: context.n + 1}}}}}}`
	guarded = `{machine: {id: m, context: {n: 3}, initial: a, states: {a: {on: {E: [{target: b, guard: {expr: "context.n > 5"}}, {target: b, guard: {expr: "context.n < 5"}}]}}, b: {on: {E: a}}}}}`
	nested  = `
machine:
  id: m
  initial: a
  states:
    a: {initial: b, states: {b: {initial: c, states: {c: {on: {E: "#m.x"}}}}}}
    x: {initial: y, states: {y: {initial: z, states: {z: {on: {E: "#m.a"}}}}}}
`
	regions = `
machine:
  id: m
  type: parallel
  states:
    l: {initial: a, states: {a: {on: {E: b}}, b: {on: {E: a}}}}
    r: {initial: a, states: {a: {on: {E: b}}, b: {on: {E: a}}}}
`
	timed = `{machine: {id: m, initial: a, states: {a: {on: {E: b}}, b: {after: {30s: a}, on: {E: a}}}}}`
)

// wide is a machine of n states, of which two matter.
func wide(n int) string {
	var b strings.Builder
	b.WriteString("{machine: {id: m, initial: s0, states: {s0: {on: {E: s1}}, s1: {on: {E: s0}}")
	for i := 2; i < n; i++ {
		fmt.Fprintf(&b, ", s%d: {on: {F%d: s0}}", i, i)
	}
	b.WriteString("}}}")
	return b.String()
}

// BenchmarkStep is one event: select, exit, act, enter, finish. Like a lane it uses one workspace.
func BenchmarkStep(b *testing.B) {
	for _, x := range []struct{ name, definition string }{
		{"toggle", toggle},
		{"counter", counter},
		{"guarded", guarded},
		{"nested", nested},
		{"regions", regions},
		{"timed", timed},
		{"of 10,000 states", wide(10_000)},
	} {
		b.Run(x.name, func(b *testing.B) {
			d := compile(b, x.definition)
			s := start(b, d)
			ev := machine.NewEvent(parse(b, `{"type": "E"}`))
			var w machine.Workspace
			b.ReportAllocs()
			for b.Loop() {
				r, err := w.Step(d, s, ev, machine.Moment{})
				if err != nil {
					b.Fatal(err)
				}
				s = r.Snapshot
			}
		})
	}
}

// BenchmarkIgnored is an event that nothing takes: no transition is selected.
func BenchmarkIgnored(b *testing.B) {
	d := compile(b, guarded)
	s := start(b, d)
	ev := machine.NewEvent(parse(b, `{"type": "X"}`))
	var w machine.Workspace
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Step(d, s, ev, machine.Moment{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDurableStep is an event with the snapshot read before and written after it.
func BenchmarkDurableStep(b *testing.B) {
	for _, x := range []struct{ name, definition string }{{"toggle", toggle}, {"counter", counter}, {"regions", regions}, {"timed", timed}} {
		b.Run(x.name, func(b *testing.B) {
			d := compile(b, x.definition)
			self := &machine.Identity{ID: "m"}
			text := d.AppendSnapshot(nil, start(b, d))
			ev := machine.NewEvent(parse(b, `{"type": "E"}`))
			var w machine.Workspace
			b.ReportAllocs()
			for b.Loop() {
				s, err := d.DecodeSnapshot(self, text)
				if err != nil {
					b.Fatal(err)
				}
				r, err := w.Step(d, s, ev, machine.Moment{})
				if err != nil {
					b.Fatal(err)
				}
				text = d.AppendSnapshot(text[:0], r.Snapshot)
			}
		})
	}
}

// BenchmarkStart is the first macrostep.
func BenchmarkStart(b *testing.B) {
	d := compile(b, regions)
	self := &machine.Identity{ID: "m"}
	var w machine.Workspace
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Start(d, self, value.Value{}, machine.Moment{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompile is what is paid once, with the bytes of the definition that is kept.
func BenchmarkCompile(b *testing.B) {
	doc, err := syntax.DecodeYAML([]byte(wide(10_000)))
	if err != nil {
		b.Fatal(err)
	}
	before := heap()
	d, err := machine.Compile(doc)
	if err != nil {
		b.Fatal(err)
	}
	kept := heap() - before
	b.ReportAllocs()
	for b.Loop() {
		if d, err = machine.Compile(doc); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(kept), "B-kept")
	runtime.KeepAlive(d)
}

// BenchmarkSnapshot is the writing and the reading of a snapshot alone.
func BenchmarkSnapshot(b *testing.B) {
	d := compile(b, timed)
	s := start(b, d)
	r, err := d.Step(s, machine.NewEvent(parse(b, `{"type": "E"}`)), machine.Moment{})
	if err != nil {
		b.Fatal(err)
	}
	text := d.AppendSnapshot(nil, r.Snapshot)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			text = d.AppendSnapshot(text[:0], r.Snapshot)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := d.DecodeSnapshot(nil, text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
