package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// SnapshotError says why a text is no snapshot of a definition.
type SnapshotError struct {
	Pointer string // where in the snapshot
	Message string
}

// Error returns the place and the message.
func (e *SnapshotError) Error() string {
	if e.Pointer == "" {
		return "snapshot: " + e.Message
	}
	return "snapshot: " + e.Pointer + ": " + e.Message
}

// DecodeSnapshot reads what AppendSnapshot wrote, and refuses what is not legal in this definition:
// states, actors and history that it does not know, or a configuration that it cannot be in. That is
// also what decides whether a machine can go on with another version of its definition. The error is
// a *SnapshotError.
func (d *Definition) DecodeSnapshot(self *Identity, text []byte) (Snapshot, error) {
	s, ok := d.readWritten(text)
	if !ok {
		var err error
		if s, err = d.readPatiently(text); err != nil {
			return Snapshot{}, err
		}
	}
	s.Self = self
	return s, nil
}

// readPatiently reads any text, and says what is wrong with one that is no snapshot.
func (d *Definition) readPatiently(text []byte) (Snapshot, error) {
	v, err := value.ParseStored(text)
	if err != nil {
		return Snapshot{}, &SnapshotError{Message: err.Error()}
	}
	r := &snapshotReader{d: d}
	s := r.snapshot(v)
	return s, r.err
}

// snapshotReader keeps the first error; what it reads after that is thrown away.
type snapshotReader struct {
	d   *Definition
	err error
}

func (r *snapshotReader) fail(at, format string, args ...any) {
	if r.err == nil {
		r.err = &SnapshotError{Pointer: at, Message: fmt.Sprintf(format, args...)}
	}
}

// members holds an object to the keys that it may have, of which some must be there.
func (r *snapshotReader) members(v value.Value, at string, must []string, may ...string) bool {
	if v.Kind() != value.Object {
		r.fail(at, "an object is expected, not %s", v.Kind())
		return false
	}
	for i := range v.Len() {
		key, _ := v.Member(i)
		if !slices.Contains(must, key) && !slices.Contains(may, key) {
			r.fail(child(at, key), "this is no part of a snapshot")
			return false
		}
	}
	for _, key := range must {
		if !v.Has(key) {
			r.fail(at, "%q is missing", key)
			return false
		}
	}
	return true
}

// integer reads an integer that is at least low.
func (r *snapshotReader) integer(v value.Value, at string, low int64) int64 {
	if v.Kind() != value.Int || v.Int() < low {
		r.fail(at, "an integer from %d on is expected, not %s", low, v)
	}
	return v.Int()
}

func (r *snapshotReader) text(v value.Value, at string) string {
	if v.Kind() != value.Text || v.Text() == "" {
		r.fail(at, "a text is expected, not %s", v)
	}
	return strings.Clone(v.Text())
}

// detach copies a value out of the text that it was read from. Snapshots are kept for long, and the
// least part of a parsed text keeps all of it.
func detach(v value.Value) value.Value {
	switch v.Kind() {
	case value.Text:
		return value.OfText(strings.Clone(v.Text()))
	case value.Array:
		elems := make([]value.Value, v.Len())
		for i, e := range v.Elems() {
			elems[i] = detach(e)
		}
		return value.OfArray(elems)
	case value.Object:
		members := make([]value.Member, v.Len())
		for i := range members {
			key, x := v.Member(i)
			members[i] = value.Member{Key: strings.Clone(key), Value: detach(x)}
		}
		return value.OfObject(members...)
	default:
		return v
	}
}

func (r *snapshotReader) snapshot(v value.Value) Snapshot {
	var s Snapshot
	must := []string{"status", "value", "historyValue", "context", "children", "detent"}
	if !r.members(v, "", must, "output", "error") {
		return s
	}
	status := slices.Index(statusNames[:], v.Get("status").Text())
	if status < 0 {
		r.fail("/status", "%s is no status", v.Get("status"))
		return s
	}
	s.Status = Status(status)
	s.Context, s.Output, s.Error = detach(v.Get("context")), detach(v.Get("output")), detach(v.Get("error"))
	if s.Context.Kind() != value.Object {
		r.fail("/context", "an object is expected, not %s", s.Context.Kind())
	}
	if v.Has("output") && s.Status != Done || v.Has("error") != (s.Status == Failed) {
		r.fail("", "a machine that is done may have an output, one that has failed has an error, and no other has either")
	}
	s.history = r.history(v.Get("historyValue"))
	r.durable(&s, v.Get("detent"))
	s.Children = r.children(v.Get("children"), v.Get("detent").Get("actors"), s.nextChild)
	if r.err == nil {
		r.checkConfiguration(s.active)
	}
	if r.err == nil && !value.Equal(r.d.StateValue(s), v.Get("value")) {
		r.fail("/value", "%s is not the value of the active states, which is %s", v.Get("value"), r.d.StateValue(s))
	}
	return s
}

// durable reads what a snapshot has beside XState's.
func (r *snapshotReader) durable(s *Snapshot, v value.Value) {
	must := []string{"seq", "now", "active", "nextActor", "nextTimer"}
	if !r.members(v, "/detent", must, "actors", "timers", "hops") {
		return
	}
	s.Seq = r.integer(v.Get("seq"), "/detent/seq", 1)
	s.Now = Time(r.integer(v.Get("now"), "/detent/now", minTime))
	s.nextChild = r.integer(v.Get("nextActor"), "/detent/nextActor", 1)
	s.nextTimer = r.integer(v.Get("nextTimer"), "/detent/nextTimer", 1)
	if v.Has("hops") {
		s.hops = int(min(r.integer(v.Get("hops"), "/detent/hops", 1), hopsInPlace))
	}
	s.active = r.states(v.Get("active"), "/detent/active", func(v value.Value, at string) int32 { return r.state(v, at) })
	s.Timers = r.timers(v.Get("timers"), s)
}

// states reads a list of states.
func (r *snapshotReader) states(v value.Value, at string, one func(value.Value, string) int32) []int32 {
	if v.Kind() != value.Array {
		r.fail(at, "an array is expected, not %s", v.Kind())
		return nil
	}
	out := make([]int32, v.Len())
	for i, x := range v.Elems() {
		if out[i] = one(x, item(at, i)); r.err != nil {
			return nil
		}
	}
	return out
}

// state reads the id of a state.
func (r *snapshotReader) state(v value.Value, at string) int32 {
	n, ok := r.d.byID[v.Text()]
	switch {
	case v.Kind() != value.Text || !ok:
		r.fail(at, "the definition has no state with the id %s", v)
	case r.d.nodes[n].kind == syntax.History:
		r.fail(at, "the history state %s cannot be active", v)
	}
	return n
}

// checkConfiguration refuses a set of states that cannot be active together.
func (r *snapshotReader) checkConfiguration(active []int32) {
	c := configurationOf(active)
	if len(c.sorted) == 0 || c.sorted[0] != 0 {
		r.fail("/detent/active", "the machine itself is not among the active states")
		return
	}
	for i, x := range c.sorted {
		n := &r.d.nodes[x]
		switch {
		case i > 0 && c.sorted[i-1] == x:
			r.fail("/detent/active", "the state %q is there twice", n.id)
		case n.parent != none && !c.has(n.parent):
			r.fail("/detent/active", "the state %q is active, and the state around it is not", n.id)
		case n.isLeaf():
		default:
			r.checkChildren(n, &c)
		}
	}
}

// checkChildren holds an active state to have one active child if it is compound, all if parallel.
func (r *snapshotReader) checkChildren(n *node, c *configuration) {
	lo, hi := c.below(r.d, n.index)
	active := 0
	for _, x := range c.sorted[lo:hi] {
		if r.d.nodes[x].parent == n.index {
			active++
		}
	}
	switch {
	case n.kind == syntax.Compound && active != 1:
		r.fail("/detent/active", "of the compound state %q one child must be active, not %d", n.id, active)
	case n.kind == syntax.Parallel && active != len(n.regions):
		r.fail("/detent/active", "of the parallel state %q all %d regions must be active, not %d", n.id, len(n.regions), active)
	}
}

// history reads what the history states have recorded.
func (r *snapshotReader) history(v value.Value) historyValue {
	const at = "/historyValue"
	if v.Kind() != value.Object {
		r.fail(at, "an object is expected, not %s", v.Kind())
		return nil
	}
	var out historyValue
	for i := range v.Len() {
		id, list := v.Member(i)
		at := child(at, id)
		h, ok := r.d.byID[id]
		if !ok || r.d.nodes[h].kind != syntax.History {
			r.fail(at, "the definition has no history state with the id %q", id)
			return nil
		}
		states := r.states(list, at, func(v value.Value, at string) int32 {
			r.members(v, at, []string{"id"})
			return r.state(v.Get("id"), child(at, "id"))
		})
		r.checkRecord(&r.d.nodes[h], states, at)
		out = append(out, record{state: h, states: states})
	}
	slices.SortFunc(out, func(a, b record) int { return cmp.Compare(a.state, b.state) })
	return out
}
