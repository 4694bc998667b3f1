package machine_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// Every thing that a step returns is printed in one line, so that a script reads like a trace.

// describeResult prints a result: a line for each microstep, each effect, and the snapshot.
func describeResult(d *machine.Definition, r machine.Result, failure error) string {
	var b strings.Builder
	for _, m := range r.Trace.Microsteps {
		fmt.Fprintln(&b, describeMicrostep(m))
	}
	for _, e := range r.Effects {
		fmt.Fprintln(&b, "! "+describeEffect(e))
	}
	if failure != nil {
		f := failure.(*machine.Failure)
		fmt.Fprintf(&b, "failed (%s) at %q: %s\n", f.Kind, f.Pointer, f.Message)
	}
	fmt.Fprintln(&b, describeSnapshot(d, r))
	return b.String()
}

func describeMicrostep(m machine.Microstep) string {
	parts := []string{"> " + m.Event + ":"}
	for _, id := range m.Exited {
		parts = append(parts, "-"+id)
	}
	for _, id := range m.Entered {
		parts = append(parts, "+"+id)
	}
	if len(m.Actions) > 0 {
		parts = append(parts, "do "+strings.Join(m.Actions, ", "))
	}
	if len(m.Transitions) > 0 {
		parts = append(parts, "by "+strings.Join(m.Transitions, ", "))
	}
	return strings.Join(parts, " ")
}

func describeSnapshot(d *machine.Definition, r machine.Result) string {
	s := r.Snapshot
	out := fmt.Sprintf("= %s %s %s", s.Status, d.StateValue(s), s.Context)
	if !s.Output.IsAbsent() {
		out += " output " + s.Output.String()
	}
	if !s.Error.IsAbsent() {
		out += " error " + s.Error.String()
	}
	out += fmt.Sprintf(" (entry %d, now %s", s.Seq, clockTime(s.Now))
	for _, t := range s.Timers {
		out += ", " + describeTimer(t)
	}
	for _, c := range s.Children {
		out += fmt.Sprintf(", actor %s~%d", c.ID, c.No)
	}
	if !r.Handled {
		out += ", not handled"
	}
	if !r.Changed {
		out += ", unchanged"
	}
	return out + ")"
}

func describeTimer(t machine.Timer) string {
	out := fmt.Sprintf("timer %d at %s: %s", t.No, clockTime(t.Deadline), t.Event.Get("type").Text())
	if t.To.Kind != machine.ToSelf {
		out += " to " + describeAddress(t.To)
	}
	return out
}

func describeAddress(a machine.Address) string {
	switch a.Kind {
	case machine.ToParent:
		return "the parent"
	case machine.ToChild:
		return fmt.Sprintf("actor %s~%d", a.ID, a.No)
	case machine.ToMachine:
		return "machine " + a.ID
	default:
		return "itself"
	}
}

func describeEffect(e machine.Effect) string {
	switch e := e.(type) {
	case machine.RunAction:
		return strings.TrimSpace("run " + e.Type + " " + given(e.Params))
	case machine.Log:
		return "log " + e.Message.String()
	case machine.Emit:
		return "emit " + e.Event.String()
	case machine.StartTimer:
		return "start " + describeTimer(e.Timer)
	case machine.CancelTimer:
		return "cancel " + describeTimer(e.Timer)
	case machine.Send:
		return "send " + e.Event.String() + " to " + describeAddress(e.To)
	case machine.StartTask:
		return strings.TrimSpace(fmt.Sprintf("start task %s~%d (%s) %s %s", e.ID, e.No, e.Src, e.Task, given(e.Input)))
	case machine.CancelTask:
		return fmt.Sprintf("cancel task %s~%d", e.ID, e.No)
	case machine.StartChild:
		return strings.TrimSpace(fmt.Sprintf("start machine %s~%d (%s) %s", e.ID, e.No, e.Src, given(e.Input)))
	case machine.StopChild:
		return fmt.Sprintf("stop machine %s~%d", e.ID, e.No)
	default:
		return fmt.Sprintf("%T", e)
	}
}

func given(v value.Value) string {
	if v.IsAbsent() {
		return ""
	}
	return v.String()
}

// clockTime prints a time of a script, which begins at 0.
func clockTime(t machine.Time) string {
	return (time.Duration(t) * time.Microsecond).String()
}
