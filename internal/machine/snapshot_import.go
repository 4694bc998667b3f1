package machine

import (
	"errors"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// ImportSnapshot reads what XState's getPersistedSnapshot returns, so that a machine that began in
// XState goes on here. It refuses what is not legal in this definition, as DecodeSnapshot does, and
// what Detent has no place for. The error is a *SnapshotError.
//
// A persisted snapshot leaves out what XState itself forgets, and this is what becomes of it:
//
//   - The order in which states became active. They get the order that XState gives them when it
//     restores: the children of a state, then what is in the first of them, then in the next.
//   - Timers. XState never starts them again, and a state with "after" would wait for ever. Here those
//     of all active states start now, at the event time of the moment; their delays see no event.
//     A delayed raise or sendTo that was pending is lost.
//   - What actors are doing. They are in Children with numbers of their own. A machine among them has its
//     persisted snapshot in this one, which the caller imports with its own definition; a task is to be
//     started anew.
//
// The import is entry 1 of the machine's history.
func (d *Definition) ImportSnapshot(self *Identity, text []byte, at Moment) (Snapshot, error) {
	v, err := value.ParseStored(text)
	if err != nil {
		return Snapshot{}, &SnapshotError{Message: err.Error()}
	}
	r := &snapshotReader{d: d}
	s := r.persisted(v, at.Event)
	s.Self = self
	if r.err == nil && s.Status == Active {
		r.startTimers(&s, at)
	}
	if r.err == nil {
		return s, nil
	}
	if e := (*SnapshotError)(nil); errors.As(r.err, &e) && strings.HasPrefix(e.Pointer, "/detent/active") {
		e.Pointer = "/value" // which they come from
	}
	return Snapshot{}, r.err
}

// persisted completes XState's snapshot by what Detent's has beside it, which is then read as one that
// was written here.
func (r *snapshotReader) persisted(v value.Value, now Time) Snapshot {
	switch {
	case v.Kind() != value.Object:
		r.fail("", "an object is expected, not %s", v.Kind())
		return Snapshot{}
	case v.Has("detent"):
		r.fail("/detent", "the snapshot was written by Detent: it is read as it stands, not imported")
		return Snapshot{}
	}
	active := []value.Value{value.OfText(r.d.nodes[0].id)}
	active = r.restored(active, 0, v.Get("value"), "/value")
	children := v.Get("children").Len()
	numbers := make([]value.Value, children)
	for i := range numbers {
		numbers[i] = value.OfInt(int64(i) + 1)
	}
	return r.snapshot(v.With("detent", value.OfObject(
		value.Member{Key: "seq", Value: value.OfInt(1)},
		value.Member{Key: "now", Value: value.OfInt(int64(now))},
		value.Member{Key: "active", Value: value.OfArray(active)},
		value.Member{Key: "actors", Value: value.OfArray(numbers)},
		value.Member{Key: "nextActor", Value: value.OfInt(int64(children) + 1)},
		value.Member{Key: "nextTimer", Value: value.OfInt(1)},
	)))
}

// restored appends the ids of the states that a part of a state value names, in the order in which
// XState restores them.
func (r *snapshotReader) restored(to []value.Value, state int32, v value.Value, at string) []value.Value {
	switch v.Kind() {
	case value.Absent: // which is reported in its turn
		return to
	case value.Text:
		return r.restoredChild(to, state, v.Text(), at)
	case value.Object:
	default:
		r.fail(at, "a state value is the key of a state or an object, not %s", v.Kind())
		return to
	}
	for i := range v.Len() {
		key, _ := v.Member(i)
		to = r.restoredChild(to, state, key, child(at, key))
	}
	for i := range v.Len() {
		key, x := v.Member(i)
		if n, ok := r.d.children[childKey{state, key}]; ok {
			to = r.restored(to, n, x, child(at, key))
		}
	}
	return to
}

func (r *snapshotReader) restoredChild(to []value.Value, state int32, key, at string) []value.Value {
	n, ok := r.d.children[childKey{state, key}]
	if !ok {
		r.fail(at, "%s has no state %q", describeState(&r.d.nodes[state]), key)
		return to
	}
	return append(to, value.OfText(r.d.nodes[n].id))
}

// startTimers starts the timers of the active states, as if they were entered now.
func (r *snapshotReader) startTimers(s *Snapshot, at Moment) {
	m := &macrostep{}
	m.before = *s
	m.before.Seq = 0
	m.begin(r.d, FromStart, at)
	for _, n := range m.current.sorted {
		for i := range r.d.nodes[n].timers {
			if f := m.startAfter(&r.d.nodes[n].timers[i]); f != nil {
				r.fail("", "a timer of the state %q cannot start: %s: %s", r.d.nodes[n].id, f.Pointer, f.Message)
				return
			}
		}
	}
	if _, f := m.runDeferred(); f != nil {
		r.fail("", "%s", f.Message)
	}
	s.Timers, s.nextTimer = m.timers, m.nextTimer
}
