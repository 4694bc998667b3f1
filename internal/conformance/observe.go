package conformance

import (
	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// journal is what has been seen since the last observation.
type journal struct {
	actions, childActions, emitted, sent, logs []value.Value
}

// action notes a custom action: of the root under actions, of others under childActions.
func (j *journal) action(a *actor, e machine.RunAction) {
	o := value.OfObject()
	if a.parent != nil {
		o = o.With("actor", value.OfText(a.path()))
	}
	o = put(o.With("type", value.OfText(e.Type)), "params", e.Params)
	if a.parent != nil {
		j.childActions = append(j.childActions, o)
	} else {
		j.actions = append(j.actions, o)
	}
}

// send notes a message that the root sent to a child.
func (j *journal) send(to *actor, event value.Value) {
	j.sent = append(j.sent, value.OfObject(value.Member{Key: "to", Value: value.OfText(to.path())}, value.Member{Key: "event", Value: event}))
}

// observe returns the entry of the expectations that tells where the root is now and what happened
// since the last one.
func (r *run) observe() value.Value {
	a, seen := r.root, r.seen
	r.seen = journal{}
	s := a.snapshot
	o := value.OfObject(
		value.Member{Key: "value", Value: a.program.StateValue(s)},
		value.Member{Key: "context", Value: s.Context},
		value.Member{Key: "status", Value: statusOf(s.Status)},
	)
	var tags []value.Value
	for _, tag := range a.program.Tags(s) {
		tags = append(tags, value.OfText(tag))
	}
	o = putList(o, "tags", tags)
	o = putOutcome(o, a)
	o = o.With("actions", value.OfArray(seen.actions))
	o = putList(o, "emitted", seen.emitted)
	o = putList(o, "sent", seen.sent)
	o = putList(o, "childActions", seen.childActions)
	o = putList(o, "logs", seen.logs)
	o = putList(o, "pending", a.pending())
	if s.Status == machine.Active {
		o = putObject(o, "children", a.observeChildren())
		o = putObject(o, "meta", a.program.Meta(s))
	}
	return o
}

// observeChildren returns the children by id, each with theirs.
func (a *actor) observeChildren() value.Value {
	all := value.OfObject()
	for _, c := range a.snapshot.Children {
		all = all.With(c.ID, a.children[childKey{c.ID, c.No}].observe())
	}
	return all
}

func (a *actor) observe() value.Value {
	s := a.snapshot
	o := value.OfObject(
		value.Member{Key: "src", Value: value.OfText(a.src)},
		value.Member{Key: "status", Value: statusOf(s.Status)},
	)
	if a.isTask() {
		if s.Status == machine.Active {
			o = put(o, "input", a.input)
		}
		return putOutcome(o, a)
	}
	o = putOutcome(o.With("value", a.program.StateValue(s)).With("context", s.Context), a)
	if s.Status == machine.Active {
		o = putList(o, "pending", a.pending())
		o = putObject(o, "children", a.observeChildren())
	}
	return o
}

// pending returns the timers of the actor that run.
func (a *actor) pending() []value.Value {
	var all []value.Value
	for _, t := range a.run.clock.of(a) {
		o := value.OfObject(
			value.Member{Key: "event", Value: t.timer.Event.Get("type")},
			value.Member{Key: "due", Value: millis(t.due)},
		)
		switch t.timer.To.Kind {
		case machine.ToParent:
			o = o.With("to", value.OfText("#_parent"))
		case machine.ToChild, machine.ToMachine:
			o = o.With("to", value.OfText(t.timer.To.ID))
		}
		all = append(all, o)
	}
	return all
}

// putOutcome adds how the actor ended: its output, or its error and of what kind that is.
func putOutcome(o value.Value, a *actor) value.Value {
	switch a.snapshot.Status {
	case machine.Done:
		return put(o, "output", a.snapshot.Output)
	case machine.Failed:
		return o.With("error", a.snapshot.Error).With("errorKind", value.OfText(string(a.failed)))
	default:
		return o
	}
}

// invalid returns the entry of a definition that is refused.
func invalid(err error) value.Value {
	return value.OfObject(
		value.Member{Key: "status", Value: value.OfText("invalid")},
		value.Member{Key: "error", Value: value.OfText(err.Error())},
	)
}

func statusOf(s machine.Status) value.Value { return value.OfText(s.String()) }

// millis writes microseconds as the milliseconds of a case.
func millis(t machine.Time) value.Value {
	v, err := value.OfFloat(float64(t) / microsPerMilli)
	if err != nil {
		panic(err) // an integer divided by a thousand is finite
	}
	return v
}

func put(o value.Value, key string, v value.Value) value.Value {
	if v.IsAbsent() {
		return o
	}
	return o.With(key, v)
}

func putList(o value.Value, key string, list []value.Value) value.Value {
	if len(list) == 0 {
		return o
	}
	return o.With(key, value.OfArray(list))
}

func putObject(o value.Value, key string, v value.Value) value.Value {
	if v.Len() == 0 {
		return o
	}
	return o.With(key, v)
}
