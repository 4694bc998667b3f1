package machine

import (
	"strconv"

	"github.com/detent-run/detent/internal/machine/value"
)

// A snapshot's JSON is what XState's getPersistedSnapshot gives, and one member more, "detent": the
// order of the active states, timers and counters, without which a machine would not be the same
// after a restart. Keys are always written in one order, so that equal snapshots have equal bytes.

var statusNames = [...]string{Active: "active", Done: "done", Failed: "error", Stopped: "stopped"}

// String returns the status as XState writes it.
func (s Status) String() string { return statusNames[s] }

// timerSize and childSize are what a timer and an actor usually take in a snapshot's JSON.
const (
	timerSize = 192
	childSize = 64
)

// AppendSnapshot appends the snapshot's JSON: XState's persisted shape and what a durable engine needs beside it.
func (d *Definition) AppendSnapshot(dst []byte, s Snapshot) []byte {
	if dst == nil {
		dst = make([]byte, 0, d.usualSize+len(s.Timers)*timerSize+len(s.Children)*childSize)
	}
	dst = append(dst, `{"status":"`...)
	dst = append(dst, s.Status.String()...)
	dst = append(dst, `","value":`...)
	dst, _ = d.appendStateValue(dst, configurationOf(s.active).sorted, 0)
	dst = append(dst, `,"historyValue":`...)
	dst = d.appendHistory(dst, s.history)
	dst = append(dst, `,"context":`...)
	dst = s.Context.AppendJSON(dst)
	dst = append(dst, `,"children":`...)
	dst = appendChildren(dst, s.Children)
	if !s.Output.IsAbsent() {
		dst = append(dst, `,"output":`...)
		dst = s.Output.AppendJSON(dst)
	}
	if !s.Error.IsAbsent() {
		dst = append(dst, `,"error":`...)
		dst = s.Error.AppendJSON(dst)
	}
	dst = append(dst, `,"detent":`...)
	dst = d.appendDurable(dst, s)
	return append(dst, '}')
}

func (d *Definition) appendHistory(dst []byte, h historyValue) []byte {
	dst = append(dst, '{')
	for i, r := range h {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d.nodes[r.state].quotedID...)
		dst = append(dst, `:[`...)
		for j, n := range r.states {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"id":`...)
			dst = append(append(dst, d.nodes[n].quotedID...), '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func appendChildren(dst []byte, children []Child) []byte {
	dst = append(dst, '{')
	for i, c := range children {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, c.ID)
		dst = append(dst, `:{"src":`...)
		dst = appendText(dst, c.Src)
		dst = append(dst, `,"syncSnapshot":false}`...)
	}
	return append(dst, '}')
}

// appendDurable appends what XState's persisted snapshot lacks. "actors" is the numbers of the
// children, in their order.
func (d *Definition) appendDurable(dst []byte, s Snapshot) []byte {
	dst = appendInt(append(dst, '{'), `"seq":`, s.Seq)
	dst = appendInt(dst, `,"now":`, int64(s.Now))
	dst = append(dst, `,"active":[`...)
	for i, n := range s.active {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d.nodes[n].quotedID...)
	}
	dst = append(dst, ']')
	if len(s.Children) > 0 {
		dst = append(dst, `,"actors":[`...)
		for i, c := range s.Children {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, c.No, 10)
		}
		dst = append(dst, ']')
	}
	if len(s.Timers) > 0 {
		dst = append(dst, `,"timers":[`...)
		for i, t := range s.Timers {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTimer(dst, t)
		}
		dst = append(dst, ']')
	}
	dst = appendInt(dst, `,"nextActor":`, s.nextChild)
	dst = appendInt(dst, `,"nextTimer":`, s.nextTimer)
	if s.hops > 0 {
		dst = appendInt(dst, `,"hops":`, int64(s.hops))
	}
	return append(dst, '}')
}

func appendTimer(dst []byte, t Timer) []byte {
	dst = appendInt(dst, `{"no":`, t.No)
	dst = appendInt(dst, `,"seq":`, t.Seq)
	dst = appendInt(dst, `,"deadline":`, int64(t.Deadline))
	if t.SendID != "" {
		dst = appendText(append(dst, `,"id":`...), t.SendID)
	}
	if t.forgotten {
		dst = append(dst, `,"forgotten":true`...)
	}
	if t.To.Kind != ToSelf {
		dst = appendAddress(append(dst, `,"to":`...), t.To)
	}
	dst = append(dst, `,"event":`...)
	dst = t.Event.AppendJSON(dst)
	return append(dst, '}')
}

// appendAddress appends whom a delayed message is for.
func appendAddress(dst []byte, a Address) []byte {
	switch a.Kind {
	case ToChild:
		dst = appendText(append(dst, `{"actor":`...), a.ID)
		dst = appendInt(dst, `,"no":`, a.No)
	case ToMachine:
		dst = appendText(append(dst, `{"machine":`...), a.ID)
	default:
		dst = append(dst, `{"parent":true`...)
	}
	return append(dst, '}')
}

func appendText(dst []byte, s string) []byte { return value.OfText(s).AppendJSON(dst) }

func appendInt(dst []byte, key string, i int64) []byte {
	return strconv.AppendInt(append(dst, key...), i, 10)
}
