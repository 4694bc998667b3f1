package syntax

import (
	"fmt"
	"strings"

	"github.com/detent-run/detent/internal/machine/value"
)

// dump writes a document line by line in one spelling, whatever spellings it was written in.
func dump(doc *Document) string {
	var p printer
	p.state(doc.Machine, "machine")
	p.setup(doc.Setup)
	if doc.Options != defaultOptions {
		o := doc.Options
		p.line("options unhandled=%s onError=%q microsteps=%d trace=%t retention=%d", o.UnhandledEvents, o.OnError, o.MaxMicrosteps, o.TraceUnknown, o.Retention)
	}
	return p.String()
}

type printer struct {
	strings.Builder
	depth int
}

func (p *printer) line(format string, args ...any) {
	p.WriteString(strings.Repeat("  ", p.depth))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *printer) within(do func()) {
	p.depth++
	do()
	p.depth--
}

func (p *printer) state(s *State, name string) {
	about := []string{name, s.Type.String()}
	if s.Deep {
		about = append(about, "deep")
	}
	for _, x := range []struct{ name, text string }{{"id", s.ID}, {"tags", strings.Join(s.Tags, ",")}, {"meta", given(s.Meta)}, {"context", given(s.Context)}, {"output", given(s.Output)}} {
		if x.text != "" {
			about = append(about, x.name+"="+x.text)
		}
	}
	p.line("%s", strings.Join(about, " "))
	p.within(func() {
		if s.Initial != nil {
			p.transition("initial", s.Initial)
		}
		if s.Target != nil {
			p.transition("default", s.Target)
		}
		p.actions("entry", s.Entry)
		p.actions("exit", s.Exit)
		for _, i := range s.Invoke {
			p.line("invoke %s id=%q input=%s", i.Src, i.ID, i.Input)
			p.transitions("  done", i.OnDone)
			p.transitions("  error", i.OnError)
		}
		for _, h := range s.On {
			p.transitions(fmt.Sprintf("on %q", h.Key), h.Transitions)
		}
		for _, h := range s.After {
			p.transitions(fmt.Sprintf("after %q", h.Key), h.Transitions)
		}
		p.transitions("always", s.Always)
		p.transitions("done", s.OnDone)
		for _, c := range s.States {
			p.state(c, "state "+c.Key)
		}
	})
}

func given(v value.Value) string {
	if v.IsAbsent() {
		return ""
	}
	return v.String()
}

func (p *printer) transitions(name string, ts []*Transition) {
	if ts != nil && len(ts) == 0 {
		p.line("%s: no candidates", name)
	}
	for _, t := range ts {
		p.transition(name, t)
	}
}

func (p *printer) transition(name string, t *Transition) {
	text := name + " ->"
	for _, target := range t.Targets {
		text += " " + target
	}
	if t.Guard != nil {
		text += " if " + guardText(t.Guard)
	}
	if t.Reenter {
		text += " reenter"
	}
	p.line("%s", text)
	p.within(func() { p.actions("do", t.Actions) })
}

func guardText(g *Guard) string {
	var of []string
	for _, x := range g.Of {
		of = append(of, guardText(x))
	}
	switch g.Kind {
	case GuardExpr:
		return "(" + g.Expr + ")"
	case GuardAnd:
		return "and[" + strings.Join(of, ", ") + "]"
	case GuardOr:
		return "or[" + strings.Join(of, ", ") + "]"
	case GuardNot:
		return "not[" + of[0] + "]"
	case GuardStateIn:
		return "in " + g.State.String()
	default:
		return g.Name + given(g.Params)
	}
}

var actionNames = [...]string{
	"", "assign", "raise", "sendTo", "sendParent", "forwardTo", "cancel", "emit", "log", "spawnChild", "stopChild", "choose", "task",
}

func (p *printer) actions(name string, actions []*Action) {
	for _, a := range actions {
		text := name + " " + actionNames[a.Kind] + a.Name
		for _, c := range a.Assign {
			text += fmt.Sprintf(" %s=%s", c.Key, c.Code)
		}
		for _, x := range []struct {
			name string
			v    value.Value
		}{
			{"params", a.Params},
			{"to", a.To},
			{"machine", a.Machine},
			{"event", a.Event},
			{"id", a.ID},
			{"delay", a.Delay},
			{"message", a.Message},
			{"input", a.Input},
		} {
			if !x.v.IsAbsent() {
				text += " " + x.name + "=" + x.v.String()
			}
		}
		if a.Src != "" {
			text += " src=" + a.Src
		}
		if a.Task != nil {
			text += " " + taskText(a.Task)
		}
		p.line("%s", text)
		p.within(func() { p.branches(a.Choose) })
	}
}

func (p *printer) branches(branches []Branch) {
	for _, b := range branches {
		if b.Guard == nil {
			p.line("otherwise")
		} else {
			p.line("if %s", guardText(b.Guard))
		}
		p.within(func() { p.actions("do", b.Actions) })
	}
}

func taskText(t *Task) string {
	return fmt.Sprintf("queue=%s timeout=%d heartbeat=%d%s", t.Queue, t.Timeout, t.HeartbeatTimeout, retryText(t.Retry))
}

func retryText(r *Retry) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf(" retry=%d from=%d times=%v most=%d not=%v", r.MaxAttempts, r.InitialInterval, r.Backoff, r.MaxInterval, r.NonRetryable)
}

func (p *printer) setup(s Setup) {
	for _, g := range s.Guards {
		p.line("guard %s = %s", g.Key, guardText(g.Guard))
	}
	for _, a := range s.Actions {
		p.actions("action "+a.Key+" =", a.Actions)
	}
	for _, n := range s.Delays {
		d := n.Delay
		kind := [...]string{"millis", "duration", "expr", "at", "cron"}[d.Kind]
		p.line("delay %s = %s micros=%d expr=%q cron=%q zone=%q skip=%t", n.Key, kind, d.Micros, d.Expr, d.Cron, d.Zone, d.Skip)
	}
	for _, a := range s.Actors {
		switch {
		case a.Task != nil:
			p.line("actor %s = task %s", a.Key, taskText(a.Task))
		case a.HTTP != nil:
			p.line("actor %s = http %s timeout=%d%s", a.Key, a.HTTP.Fields, a.HTTP.Timeout, retryText(a.HTTP.Retry))
		default:
			p.line("actor %s = machine %s version %d", a.Key, a.Machine, a.Version)
		}
	}
	for _, c := range s.Context {
		p.line("context %s = %s", c.Key, c.Code)
	}
	for _, e := range s.Events {
		p.line("event %s: %s", e.Type, e.Schema)
	}
	if s.ClosedEvents {
		p.line("no other events")
	}
}
