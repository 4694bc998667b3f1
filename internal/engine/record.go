package engine

import (
	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
	"github.com/detent-run/detent/internal/store"
)

// entry begins history's entry about an event; what the macrostep changed comes later. Its event id
// is there only when this decision consumes the event for good.
func (f *fold) entry(it item, outcome string) store.HistoryEntry {
	next := &f.decision.next
	effective := max(next.snapshot.Now, timeOf(it.row.EventTime))
	processing := f.moment(it).Processing
	e := store.HistoryEntry{
		Key:               next.key,
		Outcome:           outcome,
		Event:             it.row.Event,
		EventTime:         it.row.EventTime,
		EffectiveTime:     toTime(effective),
		ProcessedAt:       toTime(processing),
		Definition:        next.self.Definition,
		DefinitionVersion: next.self.Version,
		From:              f.stateValue(),
		To:                f.stateValue(),
		Actions:           emptyArray,
		Effects:           emptyArray,
		Changes:           emptyObject,
	}
	if it.ev.Timer != 0 {
		e.IsTimer = true
		e.LatenessMs = float64(processing-timeOf(it.row.EventTime)) / 1000
	}
	if outcome == outcomeApplied || outcome == outcomeIgnored || outcome == outcomeDead {
		e.EventID = it.row.EventID
	}
	return e
}

var (
	emptyArray  = []byte("[]")
	emptyObject = []byte("{}")
)

// actionsJSON lists the types of the actions that ran, in order.
func actionsJSON(t machine.Trace) []byte {
	var types []value.Value
	for _, m := range t.Microsteps {
		for _, a := range m.Actions {
			types = append(types, value.OfText(a))
		}
	}
	return value.OfArray(types).AppendJSON(nil)
}

// effectsJSON lists the effects, each an object that names its kind.
func effectsJSON(effects []machine.Effect) []byte {
	if len(effects) == 0 {
		return emptyArray
	}
	list := make([]value.Value, len(effects))
	for i, e := range effects {
		list[i] = effectValue(e)
	}
	return value.OfArray(list).AppendJSON(nil)
}

func effectValue(e machine.Effect) value.Value {
	switch e := e.(type) {
	case machine.RunAction:
		return effect("action", member("type", value.OfText(e.Type)), member("params", e.Params))
	case machine.Log:
		return effect("log", member("message", e.Message))
	case machine.Emit:
		return effect("emit", member("event", e.Event))
	case machine.StartTimer:
		return effect("startTimer", timerMembers(e.Timer)...)
	case machine.CancelTimer:
		return effect("cancelTimer", timerMembers(e.Timer)...)
	default:
		panic("engine: an effect that the runtime does not support was not refused")
	}
}

func timerMembers(t machine.Timer) []value.Member {
	deadline := value.OfText(toTime(t.Deadline).Format(timeLayout))
	members := []value.Member{member("event", t.Event), member("deadline", deadline)}
	if t.SendID != "" && t.SendID != t.Event.Get("type").Text() {
		members = append(members, member("id", value.OfText(t.SendID)))
	}
	return members
}

// timeLayout is RFC 3339 with whole microseconds, as Postgres keeps them.
const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

func member(key string, v value.Value) value.Member { return value.Member{Key: key, Value: v} }

func effect(kind string, members ...value.Member) value.Value {
	all := []value.Member{member("effect", value.OfText(kind))}
	for _, m := range members {
		if !m.Value.IsAbsent() {
			all = append(all, m)
		}
	}
	return value.OfObject(all...)
}

// changesJSON is the members of the context that are not as before, with their new values. Members
// are never taken away.
func changesJSON(before, after value.Value) []byte {
	var changed []value.Member
	for i := range after.Len() {
		if after.Kind() != value.Object {
			break
		}
		key, v := after.Member(i)
		if old := before.Get(key); old.IsAbsent() || !value.Equal(old, v) {
			changed = append(changed, member(key, v))
		}
	}
	if len(changed) == 0 {
		return emptyObject
	}
	return value.OfObject(changed...).AppendJSON(nil)
}
