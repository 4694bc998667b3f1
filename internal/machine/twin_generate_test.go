package machine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// breeder makes a random definition. It makes the tree first, so that transitions can name any state of it.
// What it makes is not always legal: what Compile refuses is not compared.
type breeder struct {
	r        *rand.Rand
	states   []*bred
	room     int // for so many states more
	counters int
	names    int
}

// bred is a state of the tree.
type bred struct {
	key, kind string
	id        string // "" when it has none of its own
	path      []string
	parent    *bred
	children  []*bred
}

// breed returns a definition.
func breed(r *rand.Rand) value.Value {
	b := &breeder{r: r, room: 3 + r.IntN(22)}
	root := &bred{key: "m", id: "m"}
	root.kind = pick(r, "compound", "compound", "compound", "parallel")
	b.grow(root, 0)
	machine := b.state(root)
	context := members("x", value.OfInt(0), "y", value.OfInt(1), "z", value.OfInt(2))
	for i := range b.counters {
		context = context.With(fmt.Sprintf("c%d", i+1), value.OfInt(0))
	}
	machine = machine.With("context", context)
	if b.chance(50) {
		machine = machine.With("output", parsed(`{"x": "{{ context.x }}", "e": "{{ event }}"}`))
	}
	return members("machine", machine, "setup", b.setup(), "options", parsed(`{"unknownActions": "trace", "onError": "fail", "maxMicrosteps": 40}`))
}

// grow gives a state its children.
func (b *breeder) grow(s *bred, depth int) {
	b.states = append(b.states, s)
	add := func(key, kind string) *bred {
		c := &bred{key: key, kind: kind, parent: s, path: append(append([]string(nil), s.path...), key)}
		if b.chance(12) {
			b.names++
			c.id = fmt.Sprintf("i%d", b.names)
		}
		s.children = append(s.children, c)
		b.room--
		return c
	}
	// Keys that look like numbers come first, whatever the order in which they are written.
	keys := strings.Fields(pick(b.r, "a b c d", "d c b a", "p q r s", "b 7 a 0"))
	for i := range 1 + b.r.IntN(len(keys)) {
		kinds := []string{"atomic", "atomic", "compound", "parallel"}
		if s.kind == "parallel" {
			kinds = []string{"compound", "compound", "compound", "atomic", "parallel"}
		}
		kind := pick(b.r, kinds...)
		if depth > 3 || b.room < 3 {
			kind = "atomic"
		}
		if kind == "atomic" {
			b.states = append(b.states, add(keys[i], kind))
			continue
		}
		b.grow(add(keys[i], kind), depth+1)
	}
	if s.kind == "compound" && b.chance(50) || b.chance(5) {
		b.states = append(b.states, add("f", "final"))
	}
	for _, key := range []string{"h", "g"} {
		if s.parent != nil && b.chance(25) || b.chance(5) {
			b.states = append(b.states, add(key, pick(b.r, "shallow", "deep")))
		}
	}
}

// state returns the configuration of a state.
func (b *breeder) state(s *bred) value.Value {
	out := value.OfObject()
	if s.id != "" {
		out = out.With("id", value.OfText(s.id))
	}
	switch s.kind {
	case "shallow", "deep":
		out = out.With("type", value.OfText("history")).With("history", value.OfText(s.kind))
		if b.chance(50) {
			if to := pick(b.r, s.parent.children...); !to.isHistory() {
				out = out.With("target", value.OfText(to.key))
			}
		}
		return out
	case "final":
		out = out.With("type", value.OfText("final"))
		if b.chance(60) {
			out = out.With("output", parsed(pick(b.r, `"{{ context.x }}"`, `{"y": "{{ context.y + 1 }}", "k": 7}`, `"done"`)))
		}
		return b.actionsOf(out)
	case "parallel":
		out = out.With("type", value.OfText("parallel"))
	case "compound":
		out = out.With("initial", b.initial(s))
	}
	if b.chance(20) {
		out = out.With("tags", value.OfText(pick(b.r, "red", "blue")))
	}
	out = b.behaviour(b.actionsOf(out), s)
	if len(s.children) > 0 {
		states := value.OfObject()
		for _, c := range s.children {
			states = states.With(c.key, b.state(c))
		}
		out = out.With("states", states)
	}
	return out
}

func (b *breeder) actionsOf(out value.Value) value.Value {
	if b.chance(50) {
		out = out.With("entry", b.actions(2))
	}
	if b.chance(35) {
		out = out.With("exit", b.actions(2))
	}
	return out
}

func (b *breeder) initial(s *bred) value.Value {
	key := value.OfText(pick(b.r, s.children...).key)
	if b.chance(70) {
		return key
	}
	return members("target", key, "actions", b.actions(1))
}

// behaviour adds the transitions, timers and actors of a state.
func (b *breeder) behaviour(out value.Value, s *bred) value.Value {
	on := value.OfObject()
	for range b.r.IntN(4) {
		on = on.With(pick(b.r, "A", "B", "C", "D", "k.a", "k.*", "*", "k.a.*", "I", "J", "*"), b.transitions(s, 30))
	}
	if b.chance(5) {
		on = on.With("E", parsed(pick(b.r, `{}`, `null`, `[]`)))
	}
	out = out.With("on", on)
	if b.chance(25) {
		out = out.With("always", b.eventless(s))
	}
	if s.parent != nil && len(s.children) > 0 && b.chance(60) {
		out = out.With("onDone", b.transitions(s, 20))
	}
	if b.chance(20) {
		after := value.OfObject()
		for range 1 + b.r.IntN(2) {
			after = after.With(pick(b.r, "5", "10", "20", "soon", "byX"), b.transitions(s, 30))
		}
		out = out.With("after", after)
	}
	if b.chance(12) {
		out = out.With("invoke", b.invoke(s))
	}
	return out
}

func (b *breeder) invoke(s *bred) value.Value {
	b.names++
	v := members("src", value.OfText(pick(b.r, "kid", "job")), "input", parsed(`{"x": "{{ context.x }}"}`))
	if b.chance(70) {
		v = v.With("id", value.OfText(pick(b.r, "k1", "k2", fmt.Sprintf("n%d", b.names))))
	}
	if b.chance(70) {
		v = v.With("onDone", b.transitions(s, 20))
	}
	if b.chance(50) {
		v = v.With("onError", b.transitions(s, 20))
	}
	return v
}

// transitions returns a transition, or some candidates.
func (b *breeder) transitions(s *bred, guarded int) value.Value {
	if b.chance(75) {
		return b.transition(s, guarded)
	}
	return value.OfArray([]value.Value{b.transition(s, 100), b.transition(s, 50), b.transition(s, 0)})
}

func (b *breeder) transition(s *bred, guarded int) value.Value {
	t := value.OfObject()
	if b.chance(80) {
		t = t.With("target", b.target(s))
		if b.chance(20) {
			t = t.With("reenter", value.OfBool(true))
		}
	}
	if b.chance(guarded) {
		t = t.With("guard", b.guard(0))
	}
	if b.chance(50) {
		t = t.With("actions", b.actions(2))
	}
	return t
}

// eventless returns an eventless transition. Most are bounded by a counter; one that is not, and changes
// something, lets the machine fail.
func (b *breeder) eventless(s *bred) value.Value {
	if b.chance(15) {
		return b.transition(s, 100).With("reenter", value.OfBool(false))
	}
	b.counters++
	counter := fmt.Sprintf("c%d", b.counters)
	bound := members("expr", value.OfText(fmt.Sprintf("context.%s < %d", counter, 1+b.r.IntN(4))))
	count := members("assign", members(counter, value.OfText("context."+counter+" + 1")))
	t := b.transition(s, 0)
	t = t.With("guard", members("and", value.OfArray([]value.Value{bound, b.guard(1)})))
	return t.With("actions", value.OfArray(append([]value.Value{count}, b.actions(1).Elems()...)))
}

// target returns one target, or targets in several regions.
func (b *breeder) target(s *bred) value.Value {
	if b.chance(15) {
		if p := pick(b.r, b.states...); p.kind == "parallel" {
			var list []value.Value
			for _, c := range p.children {
				if len(c.children) > 0 && b.chance(80) {
					list = append(list, value.OfText(pick(b.r, c.children...).ref()))
				}
			}
			return value.OfArray(list)
		}
	}
	to := pick(b.r, b.states...)
	switch {
	case b.chance(40) && s.parent != nil:
		return value.OfText(pick(b.r, s.parent.children...).key)
	case b.chance(25) && len(s.children) > 0:
		return value.OfText("." + pick(b.r, s.children...).key)
	case to.id != "" && b.chance(50):
		return value.OfText("#" + to.id)
	default:
		return value.OfText(to.ref())
	}
}

func (s *bred) isHistory() bool { return s.kind == "shallow" || s.kind == "deep" }

// ref names a state from anywhere.
func (s *bred) ref() string { return "#" + strings.Join(append([]string{"m"}, s.path...), ".") }

func (b *breeder) chance(percent int) bool { return b.r.IntN(100) < percent }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// parsed reads JSON that is known to be right.
func parsed(text string) value.Value {
	v, err := value.Parse([]byte(text))
	must(err)
	return v
}
