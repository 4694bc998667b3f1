package machine_test

import (
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// actions returns a list of up to so many actions.
func (b *breeder) actions(most int) value.Value {
	list := []value.Value{}
	for range 1 + b.r.IntN(most) {
		list = append(list, b.action(0))
	}
	return value.OfArray(list)
}

// action returns one action.
func (b *breeder) action(depth int) value.Value {
	switch n := b.r.IntN(100); {
	case n < 22:
		return b.traced()
	case n < 40:
		return b.assign()
	case n < 52:
		return b.raise()
	case n < 58:
		return parsed(pick(b.r, `{"cancel": "s1"}`, `{"cancel": "s2"}`, `{"cancel": "{{ 's' + string(context.x) }}"}`))
	case n < 63:
		return parsed(`{"emit": {"event": {"type": "note", "x": "{{ context.x }}", "of": "{{ event.type }}"}}}`)
	case n < 68:
		return parsed(`{"log": "x is {{ context.x }}"}`)
	case n < 74:
		return b.child()
	case n < 79:
		return parsed(pick(b.r, `{"type": "add", "params": {"n": "{{ context.y }}"}}`, `"several"`, `"errand"`, `{"task": {"queue": "q", "input": "{{ context.x }}"}}`))
	case n < 80 && b.chance(25):
		return parsed(`{"assign": {"x": "context.nothing.here"}}`)
	case depth > 1:
		return b.traced()
	default:
		return b.chooseFrom(depth)
	}
}

func (b *breeder) traced() value.Value {
	b.names++
	name := value.OfText(fmt.Sprintf("t%d", b.names))
	if b.chance(70) {
		return name
	}
	return members("type", name, "params", parsed(pick(b.r, `{"x": "{{ context.x }}"}`, `{"now": "{{ now }}", "me": "{{ self.id }}"}`, `[1, "{{ inState('#m') }}{{ hasTag('red') }}"]`)))
}

func (b *breeder) assign() value.Value {
	out := value.OfObject()
	for range 1 + b.r.IntN(2) {
		v := pick(b.r, "x", "y", "z")
		out = out.With(v, value.OfText(strings.ReplaceAll(pick(b.r,
			"context.V + 1", "context.x + context.y", "context.V * 2 % 7", "event.v == 1 ? 0 : context.V + 2", "context.z > 3 ? 0 : context.z"), "V", v)))
	}
	return members("assign", out)
}

func (b *breeder) raise() value.Value {
	ev := members("type", value.OfText(pick(b.r, "I", "J", "A", "k.a")), "v", parsed(pick(b.r, "0", "1", `"{{ context.x % 3 }}"`)))
	if b.chance(50) {
		return members("raise", members("event", ev))
	}
	delay := parsed(pick(b.r, "0", "5", "15", `"soon"`, `"byX"`))
	out := members("event", ev, "delay", delay)
	if b.chance(70) { // often one that is pending already
		out = out.With("id", value.OfText(pick(b.r, "s1", "s2")))
	}
	return members("raise", out)
}

// child returns something that is done with an actor. A message to one that is not there lets the machine
// fail, so that most are sent where one may be expected.
func (b *breeder) child() value.Value {
	id := value.OfText(pick(b.r, "k1", "k2"))
	spawn := members("spawnChild", members("src", value.OfText(pick(b.r, "kid", "job")), "id", id, "input", parsed(`{"y": "{{ context.y }}"}`)))
	ev := parsed(`{"type": "HEY", "x": "{{ context.x }}"}`)
	send := members("sendTo", members("to", id, "event", ev))
	switch b.r.IntN(30) {
	case 0, 1, 2, 12, 13, 14, 15, 16:
		return spawn
	case 3, 4, 17, 18, 19, 20:
		return members("stopChild", id)
	case 5:
		return send
	case 6, 21, 22, 23:
		return members("choose", value.OfArray([]value.Value{members("actions", value.OfArray([]value.Value{spawn, send}))}))
	case 7, 24, 25:
		return members("choose", value.OfArray([]value.Value{members("actions", value.OfArray([]value.Value{
			spawn, members("sendTo", members("to", id, "event", ev, "delay", value.OfInt(7))), members("forwardTo", members("to", id)),
		}))}))
	case 8:
		return parsed(`{"sendParent": {"event": {"type": "HELLO", "x": "{{ context.x }}"}}}`)
	case 9:
		return parsed(`{"sendTo": {"to": "#_parent", "event": {"type": "LATER"}, "delay": 5, "id": "s1"}}`)
	default:
		return parsed(`{"sendTo": {"machine": "m-{{ context.x }}", "event": {"type": "HEY"}}}`)
	}
}

func (b *breeder) chooseFrom(depth int) value.Value {
	var list []value.Value
	for range 1 + b.r.IntN(2) {
		list = append(list, members("guard", b.guard(1), "actions", value.OfArray([]value.Value{b.action(depth + 1), b.traced()})))
	}
	if b.chance(60) {
		list = append(list, members("actions", b.action(depth+1)))
	}
	return members("choose", value.OfArray(list))
}

// guard returns a guard.
func (b *breeder) guard(depth int) value.Value {
	some := pick(b.r, b.states[1:]...)
	for some.isHistory() {
		some = pick(b.r, b.states...)
	}
	switch n := b.r.IntN(100); {
	case n < 45:
		return members("expr", value.OfText(pick(b.r,
			"context.x > 2", "context.y % 2 == 0", "context.z < 4 || context.x == 0", "event.v == 1", "event.v != 2", "context.x >= context.y",
			"hasTag('red')", "!hasTag('blue') && event.v == 0", "now % 2 == 0")))
	case n < 55:
		return members("expr", value.OfText("inState('"+some.ref()+"')"))
	case n < 70:
		return parsed(pick(b.r, `"even"`, `"some"`, `{"type": "above", "params": {"n": "{{ context.z }}"}}`, `{"type": "above", "params": {"n": 1}}`))
	case n < 80 || depth > 1:
		return members("stateIn", b.stateIn(some))
	case n < 87:
		return members("and", value.OfArray([]value.Value{b.guard(depth + 1), b.guard(depth + 1)}))
	case n < 94:
		return members("or", value.OfArray([]value.Value{b.guard(depth + 1), b.guard(depth + 1)}))
	default:
		return members("not", b.guard(depth+1))
	}
}

// stateIn names a state in one of the three ways.
func (b *breeder) stateIn(s *bred) value.Value {
	if len(s.path) == 0 || b.chance(40) {
		return value.OfText(s.ref())
	}
	if b.chance(50) {
		return value.OfText(strings.Join(s.path, "."))
	}
	out := value.OfText(s.key)
	for i := len(s.path) - 2; i >= 0; i-- {
		out = members(s.path[i], out)
	}
	return out
}

// setup is what the names mean.
func (b *breeder) setup() value.Value {
	out := parsed(`{
		"actions": {
			"add": {"assign": {"x": "context.x + params.n"}},
			"several": ["inside", {"type": "add", "params": {"n": "{{ context.z }}"}}, {"raise": {"event": {"type": "I", "v": 1}}}, {"type": "inside", "params": {"x": "{{ context.x }}"}}],
			"errand": {"task": {"queue": "errands", "input": {"of": "{{ event.type }}"}}}
		},
		"delays": {"soon": {"duration": "8ms"}, "byX": "context.x * 3 + 2"},
		"actors": {"kid": {"machine": "kid"}, "job": {"task": {"queue": "q-{{ input.x }}"}}}
	}`)
	guards := parsed(`{"even": "context.x % 2 == 0", "some": {"or": [{"expr": "context.y > 2"}, "even"]}, "above": "context.x + params.n > 3"}`)
	out = out.With("guards", guards)
	if b.chance(30) {
		out = out.With("context", parsed(`{"x": "input.x", "z": 1, "kept": {"a": "{{ context.y }}"}}`))
	}
	return out
}
