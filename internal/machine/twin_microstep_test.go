package machine_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// microstep is 3.8.
func (s *twinStep) microstep(list []*twinTransition) {
	if len(list) == 0 {
		return
	}
	s.changed, s.recorded, s.complete = false, false, map[*twinNode]bool{}
	s.before = slices.Clone(s.is.active)
	list = s.withoutConflicts(list)
	s.note(list)
	domains := s.exit(list)
	for _, t := range list {
		s.act(t.actions)
	}
	s.enter(list, domains)
	if s.is.status == machine.Done { // 3.8.5
		active := s.inDocumentOrder(setOf(s.is.active))
		for _, n := range slices.Backward(active) {
			s.leave(n)
		}
	}
	if !s.recorded && maps.Equal(setOf(s.before), setOf(s.is.active)) { // 3.8.6
		s.is.active = s.before
	} else {
		s.changed = true
	}
	s.changed = s.changed || s.is.status == machine.Done
	s.before = nil
	s.mustBeLegal()
}

// mustBeLegal holds what is active to 3.2.1.
func (s *twinStep) mustBeLegal() {
	active := setOf(s.is.active)
	for n := range active {
		children := 0
		for _, c := range n.regions() {
			if active[c] {
				children++
			}
		}
		legal := n == s.root || active[n.parent]
		switch n.Type {
		case syntax.Compound:
			legal = legal && children == 1
		case syntax.Parallel:
			legal = legal && children == len(n.regions())
		}
		if !legal || len(active) != len(s.is.active) || !active[s.root] {
			panic(fmt.Sprintf("not legal around %s: %v", n.id, ids(s.is.active)))
		}
	}
}

// exit is 3.8.2. It returns the domains from before the exit.
func (s *twinStep) exit(list []*twinTransition) []*twinNode {
	var domains []*twinNode
	exits := map[*twinNode]bool{}
	s.overtaken = map[*twinTransition]bool{}
	for _, t := range list {
		d := t.source
		if len(t.targets) > 0 {
			d = s.domain(t)
		}
		domains = append(domains, d)
		if !s.starting {
			maps.Copy(exits, s.exitSet(t))
		}
	}
	for _, t := range list { // see history-overtaken in section 6
		s.overtaken[t] = !s.starting && exits[t.source] && len(s.exitSet(t)) == 0
	}
	out := s.inDocumentOrder(exits)
	slices.Reverse(out)
	s.traced().Exited = ids(out)
	for _, n := range out {
		s.record(n)
	}
	for _, n := range out {
		s.leave(n)
		for i := range n.Invoke {
			s.changed = true
			s.stopChild(n.invokeID(i))
		}
		s.is.active = slices.DeleteFunc(s.is.active, func(x *twinNode) bool { return x == n })
	}
	return domains
}

// leave runs the exit of a node: its exit actions, and its timers are cancelled (3.1.7).
func (s *twinStep) leave(n *twinNode) {
	s.act(n.Exit)
	for _, h := range n.After {
		s.deferred = append(s.deferred, twinCancel{id: "xstate.after." + h.Key + "." + n.id})
	}
}

// enter is 3.8.4.
func (s *twinStep) enter(list []*twinTransition, domains []*twinNode) {
	for i, t := range list {
		if len(t.targets) > 0 {
			domains[i] = outer(domains[i], s.domain(t))
		}
	}
	set, byDefault := s.entrySet(list, domains)
	entry := s.inDocumentOrder(set)
	s.traced().Entered = ids(entry)
	for _, n := range entry {
		if !slices.Contains(s.is.active, n) {
			s.is.active = append(s.is.active, n)
		}
		s.invoking = map[string]int64{}
		first := s.is.nextChild
		for i := range n.Invoke {
			s.invoking[n.invokeID(i)] = first + int64(i)
		}
		s.is.nextChild += int64(len(n.Invoke))
		s.act(n.Entry)
		s.invoking = nil
		for _, h := range n.After {
			name := "xstate.after." + h.Key + "." + n.id
			s.startTimer(h.Key, name, typed(name), machine.Address{})
		}
		for i, v := range n.Invoke {
			s.startChild(n.invokeID(i), first+int64(i), v.Src, s.data(v.Input))
		}
		if byDefault[n] && n.initial != nil {
			s.act(n.initial.actions)
		}
		if n.Type == syntax.Final {
			s.completion(n)
		}
	}
}

// outer is the outer of the domains before and after the exit: see history-domain in section 6.
func outer(a, b *twinNode) *twinNode {
	if a == nil || b == nil {
		return nil
	}
	if a.under(b) {
		return b
	}
	return a
}

// completion is 3.11.
func (s *twinStep) completion(f *twinNode) {
	p := f.parent
	if p != nil && p.Type == syntax.Compound {
		s.raise(doneEvent(p, s.data(f.Output)))
	}
	m := p
	if p != nil && p.Type != syntax.Parallel {
		m = p.parent
	}
	last := m
	if m == nil {
		last = f
	}
	for m != nil && m.Type == syntax.Parallel && !s.complete[m] && s.isComplete(m) {
		s.complete[m] = true
		s.raise(doneEvent(m, value.Value{}))
		last, m = m, m.parent
	}
	if m == nil {
		s.finish(last)
	}
}

// finish is 3.11.4.
func (s *twinStep) finish(last *twinNode) {
	s.is.status = machine.Done
	if s.root.Output.IsAbsent() {
		return
	}
	var output value.Value
	if last.Type == syntax.Final && last != s.root {
		output = s.data(last.Output)
	}
	ev := s.event
	s.event.Data = doneEvent(last, output)
	s.is.output = s.data(s.root.Output)
	s.event = ev
}

// isComplete is the last part of 3.11.3.
func (s *twinStep) isComplete(n *twinNode) bool {
	switch n.Type {
	case syntax.Final:
		return true
	case syntax.Compound:
		return slices.ContainsFunc(n.regions(), func(c *twinNode) bool {
			return c.Type == syntax.Final && slices.Contains(s.is.active, c)
		})
	case syntax.Parallel:
		return !slices.ContainsFunc(n.regions(), func(c *twinNode) bool { return !s.isComplete(c) })
	default:
		return false
	}
}

// doneEvent is the event of a node's completion.
func doneEvent(n *twinNode, output value.Value) value.Value {
	ev := typed("xstate.done.state." + n.id)
	if !output.IsAbsent() {
		ev = ev.With("output", output)
	}
	return ev
}

// raise puts an event on the internal queue.
func (s *twinStep) raise(data value.Value) {
	s.queue = append(s.queue, machine.Event{Type: data.Get("type").Text(), Data: data})
}

// note opens the trace of a microstep.
func (s *twinStep) note(list []*twinTransition) {
	step := machine.Microstep{Event: s.event.Type}
	for _, t := range list {
		if !s.starting {
			step.Transitions = append(step.Transitions, t.at)
		}
	}
	s.trace = append(s.trace, step)
}

func (s *twinStep) traced() *machine.Microstep { return &s.trace[len(s.trace)-1] }

func setOf(list []*twinNode) map[*twinNode]bool {
	out := map[*twinNode]bool{}
	for _, n := range list {
		out[n] = true
	}
	return out
}

func ids(list []*twinNode) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.id)
	}
	return out
}
