package machine_test

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// startTimer defers the start of a timer (3.13.1, 3.12.8). Its delay is evaluated now.
func (s *twinStep) startTimer(key, id string, ev value.Value, to machine.Address) {
	s.deferred = append(s.deferred, machine.StartTimer{Timer: machine.Timer{
		No: s.is.nextTimer, Seq: s.is.seq, Deadline: s.deadline(key), SendID: id, Event: ev, To: to,
	}})
	s.is.nextTimer++
}

// deadline is when a delay is over.
func (s *twinStep) deadline(key string) machine.Time {
	if ms, err := strconv.ParseInt(key, 10, 64); err == nil {
		return s.from + machine.Time(ms)*1000
	}
	for _, x := range s.doc.Setup.Delays {
		switch d := x.Delay; {
		case x.Key != key:
		case d.Kind == syntax.DelayExpr:
			ms := s.code(value.OfText(d.Expr))
			if ms.Kind() != value.Int || ms.Int() < 0 || ms.Int() > (math.MaxInt64-int64(s.from))/1000 {
				panic(twinFailure(machine.ExpressionFailure))
			}
			return s.from + machine.Time(ms.Int())*1000
		default:
			return s.from + machine.Time(d.Micros)
		}
	}
	panic("no delay " + key)
}

// startChild creates an actor (3.14.1). It is among the children from now on.
func (s *twinStep) startChild(id string, no int64, src string, input value.Value) {
	s.changed = true
	s.stopChild(id) // one that has the id is replaced: see docs/divergences.md
	actor := s.actor(src)
	s.is.children = append(s.is.children, machine.Child{ID: id, No: no, Src: src, Task: actor.Machine == ""})
	if actor.Machine != "" {
		s.deferred = append(s.deferred, machine.StartChild{ID: id, No: no, Src: src, Input: input})
		return
	}
	before := s.input
	s.input = input
	fields := s.data(actor.Task.Fields)
	s.input = before
	s.deferred = append(s.deferred, machine.StartTask{ID: id, No: no, Src: src, Input: input, Task: fields})
}

func (s *twinStep) actor(src string) syntax.NamedActor {
	i := slices.IndexFunc(s.doc.Setup.Actors, func(a syntax.NamedActor) bool { return a.Key == src })
	return s.doc.Setup.Actors[i]
}

// stopChild is 3.14.5.
func (s *twinStep) stopChild(id string) {
	i := slices.IndexFunc(s.is.children, func(c machine.Child) bool { return c.ID == id })
	if i < 0 {
		return
	}
	c := s.is.children[i]
	s.is.children = slices.Delete(s.is.children, i, i+1)
	switch {
	case c.No >= s.was.nextChild:
		s.unborn[c.No] = true
	case c.Task:
		s.deferred = append(s.deferred, machine.CancelTask{ID: c.ID, No: c.No})
	default:
		s.deferred = append(s.deferred, machine.StopChild{ID: c.ID, No: c.No})
	}
}

// stopAll stops all children.
func (s *twinStep) stopAll() {
	for len(s.is.children) > 0 {
		s.stopChild(s.is.children[0].ID)
	}
}

// runDeferred runs the deferred effects in order (3.3.3).
func (s *twinStep) runDeferred() []machine.Effect {
	effects := s.immediate
	for _, e := range s.deferred {
		switch e := e.(type) {
		case machine.StartTimer:
			s.is.timers = append(s.is.timers, e.Timer)
			slices.SortFunc(s.is.timers, func(a, b machine.Timer) int {
				return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.No, b.No))
			})
			if e.Timer.SendID != "" {
				s.is.named[e.Timer.SendID] = e.Timer.No
			}
			effects = append(effects, e)
		case twinCancel:
			for _, t := range s.is.timers {
				if t.No == s.is.named[e.id] {
					effects = s.cancelTimer(t, effects)
					break
				}
			}
		default:
			if !s.unborn[childNo(e)] {
				effects = append(effects, e)
			}
		}
	}
	return effects
}

// cancelTimer takes a timer away (3.12.7). Of one that was started in this macrostep nobody hears (3.13.3).
func (s *twinStep) cancelTimer(t machine.Timer, effects []machine.Effect) []machine.Effect {
	s.is.timers = slices.DeleteFunc(s.is.timers, func(x machine.Timer) bool { return x.No == t.No })
	delete(s.is.named, t.SendID)
	if t.No < s.was.nextTimer {
		return append(effects, machine.CancelTimer{Timer: t})
	}
	return slices.DeleteFunc(slices.Clone(effects), func(e machine.Effect) bool {
		start, ok := e.(machine.StartTimer)
		return ok && start.Timer.No == t.No
	})
}

// childNo is the number of the actor that an effect starts or sends to, 0 for none.
func childNo(e machine.Effect) int64 {
	switch e := e.(type) {
	case machine.StartTask:
		return e.No
	case machine.StartChild:
		return e.No
	case machine.Send:
		return e.To.No
	default:
		return 0
	}
}
