package machine

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// minTime is the earliest time.
const minTime = math.MinInt64

// item returns the pointer to an element.
func item(at string, i int) string { return at + "/" + strconv.Itoa(i) }

// checkRecord refuses a history record that the history state cannot have made: a shallow one holds
// children of its parent, a deep one leaves below it, and together they make a configuration.
func (r *snapshotReader) checkRecord(h *node, states []int32, at string) {
	if r.err != nil {
		return
	}
	parent := &r.d.nodes[h.parent]
	if len(states) == 0 {
		r.fail(at, "a record of nothing: where nothing was active there is no record")
		return
	}
	for _, n := range states {
		x := &r.d.nodes[n]
		if h.deep && (len(x.regions) > 0 || !r.d.isDescendant(n, h.parent)) || !h.deep && x.parent != h.parent {
			r.fail(at, "the history state %q cannot have recorded the state %q", h.id, x.id)
			return
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(states)))); n != len(states) {
		r.fail(at, "a state is there twice")
		return
	}
	if h.deep {
		r.checkLeaves(parent, states, at)
	} else if parent.kind == syntax.Compound && len(states) != 1 || parent.kind == syntax.Parallel && len(states) != len(parent.regions) {
		r.fail(at, "%d states cannot have been active in %q", len(states), parent.id)
	}
}

// checkLeaves refuses leaves that are not all that is active below a state.
func (r *snapshotReader) checkLeaves(n *node, leaves []int32, at string) {
	in := func(x int32) bool {
		return slices.ContainsFunc(leaves, func(l int32) bool { return l == x || r.d.isDescendant(l, x) })
	}
	active := 0
	for _, x := range n.regions {
		if in(x) {
			active++
			r.checkLeaves(&r.d.nodes[x], leaves, at)
		}
	}
	if n.kind == syntax.Compound && active != 1 || n.kind == syntax.Parallel && active != len(n.regions) {
		r.fail(at, "these states cannot have been active together in %q", n.id)
	}
}

// children reads the actors. Their numbers stand apart, in the same order.
func (r *snapshotReader) children(v, numbers value.Value, next int64) []Child {
	if v.Kind() != value.Object {
		r.fail("/children", "an object is expected, not %s", v.Kind())
		return nil
	}
	if v.Len() > maxChildren || numbers.Len() != v.Len() || numbers.Kind() != value.Array && v.Len() > 0 {
		r.fail("/children", "at most %d, with as many numbers in /detent/actors, are expected", maxChildren)
		return nil
	}
	var out []Child
	for i := range v.Len() {
		id, x := v.Member(i)
		at := child("/children", id)
		if !r.members(x, at, []string{"src", "syncSnapshot"}, "snapshot") {
			return nil
		}
		src := r.text(x.Get("src"), child(at, "src"))
		a, ok := r.d.actors[src]
		if !ok {
			r.fail(child(at, "src"), "the definition has no actor %q", src)
			return nil
		}
		no := r.integer(numbers.Elems()[i], item("/detent/actors", i), 1)
		if no >= next {
			r.fail(item("/detent/actors", i), "the number %d has not been given yet", no)
		}
		out = append(out, Child{ID: strings.Clone(id), No: no, Src: a.src, Task: a.task})
	}
	byNo := slices.SortedFunc(slices.Values(out), func(a, b Child) int { return cmp.Compare(a.No, b.No) })
	if len(slices.CompactFunc(byNo, func(a, b Child) bool { return a.No == b.No })) < len(out) {
		r.fail("/detent/actors", "two actors have one number")
	}
	return out
}

// timers reads the pending timers.
func (r *snapshotReader) timers(v value.Value, s *Snapshot) []Timer {
	const at = "/detent/timers"
	if v.IsAbsent() {
		return nil
	}
	if v.Kind() != value.Array || v.Len() > maxTimers {
		r.fail(at, "an array of at most %d timers is expected", maxTimers)
		return nil
	}
	out := make([]Timer, v.Len())
	for i, x := range v.Elems() {
		at := item(at, i)
		out[i] = r.timer(x, at)
		if fault := s.timerFault(out, i); fault != "" {
			r.fail(at, "%s", fault)
		}
		if r.err != nil {
			return nil
		}
	}
	return out
}

// timerFault returns why the snapshot cannot have the timer at a place, "" when it can.
func (s *Snapshot) timerFault(timers []Timer, i int) string {
	switch t := &timers[i]; {
	case t.No >= s.nextTimer || t.Seq > s.Seq:
		return "the timer is of a macrostep that has not been"
	case i > 0 && compareTimers(timers[i-1], *t) >= 0:
		return "timers stand in the order of their deadlines and numbers"
	default:
		return ""
	}
}

// compareTimers orders timers by deadline, and among equals by number.
func compareTimers(a, b Timer) int {
	return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.No, b.No))
}

func (r *snapshotReader) timer(v value.Value, at string) Timer {
	if !r.members(v, at, []string{"no", "seq", "deadline", "event"}, "id", "forgotten", "to") {
		return Timer{}
	}
	t := Timer{
		No:       r.integer(v.Get("no"), child(at, "no"), 1),
		Seq:      r.integer(v.Get("seq"), child(at, "seq"), 1),
		Deadline: Time(r.integer(v.Get("deadline"), child(at, "deadline"), minTime)),
	}
	if v.Has("id") {
		t.SendID = r.text(v.Get("id"), child(at, "id"))
	}
	if t.Event = r.event(v.Get("event")); t.SendID == t.Event.Get("type").Text() {
		t.SendID = t.Event.Get("type").Text() // one copy of the text is enough
	}
	if v.Has("to") {
		t.To = r.address(v.Get("to"), child(at, "to"))
	}
	if v.Has("forgotten") {
		t.forgotten = v.Get("forgotten").Bool()
	}
	if !isEvent(t.Event) || v.Has("forgotten") && !t.forgotten {
		r.fail(at, "a timer has an event, and forgotten when it is true")
	}
	return t
}

// event reads the event of a timer. That of a key of after is the same for all machines.
func (r *snapshotReader) event(v value.Value) value.Value {
	if constant, ok := r.d.timerEvents[v.String()]; ok {
		return constant
	}
	return detach(v)
}

// address reads whom a delayed message is for.
func (r *snapshotReader) address(v value.Value, at string) Address {
	switch {
	case v.Has("actor"):
		r.members(v, at, []string{"actor", "no"})
		return Address{Kind: ToChild, ID: r.text(v.Get("actor"), at), No: r.integer(v.Get("no"), at, 1)}
	case v.Has("machine"):
		r.members(v, at, []string{"machine"})
		return Address{Kind: ToMachine, ID: r.text(v.Get("machine"), at)}
	default:
		if r.members(v, at, []string{"parent"}) && !v.Get("parent").Bool() {
			r.fail(at, "an actor, a machine or the parent is expected")
		}
		return Address{Kind: ToParent}
	}
}
