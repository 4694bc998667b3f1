package machine_test

import (
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// show prints everything of a result: a line for each microstep and effect, and the snapshot as
// AppendSnapshot writes it, but for the text of an error of the machine's own: of that it has the kind.
func (r twinResult) show(w *twin) string {
	return showResult(r.trace, r.effects, r.machine.snapshot(w), r.handled, r.changed)
}

func showResult(trace []machine.Microstep, effects []machine.Effect, snapshot value.Value, handled, changed bool) string {
	var b strings.Builder
	for _, m := range trace {
		fmt.Fprintln(&b, describeMicrostep(m))
	}
	for _, e := range effects {
		fmt.Fprintln(&b, "! "+describeEffect(e))
	}
	fmt.Fprintf(&b, "%s\nhandled %t, changed %t\n", snapshot, handled, changed)
	return b.String()
}

// showEngine prints a result of the engine in the same way.
func showEngine(d *machine.Definition, r machine.Result) (string, error) {
	snapshot, err := value.Parse(d.AppendSnapshot(nil, r.Snapshot))
	if err != nil {
		return "", err
	}
	if r.Snapshot.Status == machine.Failed {
		kind := snapshot.Get("error").Get("kind")
		if kind.IsAbsent() {
			kind = value.OfText(string(machine.DataFailure))
		}
		snapshot = snapshot.With("error", kind)
	}
	return showResult(r.Trace.Microsteps, r.Effects, snapshot, r.Handled, r.Changed), nil
}

// snapshot is the machine as AppendSnapshot writes it.
func (m twinMachine) snapshot(w *twin) value.Value {
	children := value.OfObject()
	for _, c := range m.children {
		children = children.With(c.ID, members("src", value.OfText(c.Src), "syncSnapshot", value.OfBool(false)))
	}
	out := members(
		"status", value.OfText(m.status.String()),
		"value", (&twinStep{twin: w}).stateValue(w.root, m.active),
		"historyValue", m.historyValue(w),
		"context", m.context,
		"children", children,
	)
	if !m.output.IsAbsent() {
		out = out.With("output", m.output)
	}
	if m.status == machine.Failed {
		out = out.With("error", value.OfText(string(m.failure)))
	}
	return out.With("detent", m.durable())
}

func (m twinMachine) historyValue(w *twin) value.Value {
	out := value.OfObject()
	for _, n := range w.nodes {
		list, recorded := m.history[n]
		if !recorded {
			continue
		}
		var entries []value.Value
		for _, id := range ids(list) {
			entries = append(entries, members("id", value.OfText(id)))
		}
		out = out.With(n.id, value.OfArray(entries))
	}
	return out
}

func (m twinMachine) durable() value.Value {
	var active, actors, timers []value.Value
	for _, id := range ids(m.active) {
		active = append(active, value.OfText(id))
	}
	for _, c := range m.children {
		actors = append(actors, value.OfInt(c.No))
	}
	for _, t := range m.timers {
		timers = append(timers, m.timer(t))
	}
	out := members("seq", value.OfInt(m.seq), "now", value.OfInt(int64(m.now)), "active", value.OfArray(active))
	if len(actors) > 0 {
		out = out.With("actors", value.OfArray(actors))
	}
	if len(timers) > 0 {
		out = out.With("timers", value.OfArray(timers))
	}
	out = out.With("nextActor", value.OfInt(m.nextChild)).With("nextTimer", value.OfInt(m.nextTimer))
	if m.hops > 0 {
		out = out.With("hops", value.OfInt(int64(m.hops)))
	}
	return out
}

func (m twinMachine) timer(t machine.Timer) value.Value {
	out := members("no", value.OfInt(t.No), "seq", value.OfInt(t.Seq), "deadline", value.OfInt(int64(t.Deadline)))
	if t.SendID != "" {
		out = out.With("id", value.OfText(t.SendID))
		if m.named[t.SendID] != t.No {
			out = out.With("forgotten", value.OfBool(true))
		}
	}
	switch t.To.Kind {
	case machine.ToParent:
		out = out.With("to", members("parent", value.OfBool(true)))
	case machine.ToChild:
		out = out.With("to", members("actor", value.OfText(t.To.ID), "no", value.OfInt(t.To.No)))
	case machine.ToMachine:
		out = out.With("to", members("machine", value.OfText(t.To.ID)))
	}
	return out.With("event", t.Event)
}

// members makes an object of keys and values in turn.
func members(pairs ...any) value.Value {
	out := value.OfObject()
	for i := 0; i < len(pairs); i += 2 {
		out = out.With(pairs[i].(string), pairs[i+1].(value.Value))
	}
	return out
}
