package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/detent-run/detent/internal/conformance"
	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
)

// compare asks XState about one case after the other.
func compare(cases []*conformance.Case, t *tally) error {
	cmd := exec.Command("node", "oracle/interop.mjs")
	cmd.Dir, cmd.Stderr = oracle, os.Stderr
	questions, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	reader := bufio.NewReader(answers)
	for _, c := range cases {
		if err := compareCase(c, questions, reader, t); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", c.Name, err), cmd.Process.Kill(), cmd.Wait())
		}
	}
	if err := questions.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

// compareCase asks about one case. One that both refuse has no snapshots.
func compareCase(c *conformance.Case, questions io.Writer, answers *bufio.Reader, t *tally) error {
	if len(c.Expect) == 1 && c.Expect[0].Get("status").Text() == "invalid" || len(c.Steps) == 0 {
		t.skipped++
		return nil
	}
	snapshots, err := conformance.Persist(c)
	if err != nil {
		return err
	}
	native, err := conformance.Run(c, conformance.Options{})
	if err != nil {
		return err
	}
	question := value.OfObject(
		value.Member{Key: "case", Value: c.Source},
		value.Member{Key: "snapshots", Value: value.OfArray(snapshots)},
	)
	if _, err := questions.Write(append(question.AppendJSON(nil), '\n')); err != nil {
		return err
	}
	line, err := answers.ReadBytes('\n')
	if err != nil {
		return err
	}
	answer, err := value.Parse(line)
	if e := (*value.SyntaxError)(nil); errors.As(err, &e) && e.Code == value.CodeNumberRange {
		t.skipped++ // JavaScript's numbers have grown beyond what it counts exactly
		return nil
	}
	if err != nil {
		return err
	}
	t.cases++
	for at := range c.Steps {
		t.add(cut{c, at, "given by Detent", snapshots[at], answer.Get("theirs").Elems()[at], native})
		ours := answer.Get("ours").Elems()[at]
		t.add(cut{c, at, "given by XState", ours.Get("persisted"), ours, native})
	}
	return nil
}

// cut is one snapshot, and what XState shows in the steps that follow it.
type cut struct {
	c        *conformance.Case
	at       int
	origin   string
	snapshot value.Value
	xstate   value.Value
	native   []value.Value // what Detent shows in the whole case
}

// tally counts.
type tally struct {
	out                        io.Writer
	cases, skipped             int
	cuts, steps, unfollowed    int
	refused, differ, otherwise int
}

// maxShown is how many differences are shown.
const maxShown = 20

// add imports the snapshot and compares.
func (t *tally) add(x cut) {
	t.cuts++
	got, err := conformance.Resume(x.c, x.at, x.snapshot)
	want := x.xstate.Get("entries").Elems()
	if errors.Is(err, conformance.ErrTimers) {
		t.unfollowed += len(want) - len(got)
		want, err = want[:len(got)], nil
	}
	t.steps += len(got)
	if e := (*machine.SnapshotError)(nil); errors.As(err, &e) && strings.Contains(e.Message, "cannot start") {
		t.refused++ // the delay of an active state looks at an event, which is gone
		return
	}
	fault := ""
	switch d := conformance.Compare(withoutPending(want), withoutPending(got), false); {
	case err != nil:
		fault = err.Error()
	case x.xstate.Has("error"):
		fault = x.xstate.Get("error").Text()
	case len(d) > 0:
		fault = d[0].String()
	}
	if fault != "" {
		if t.differ++; t.differ <= maxShown {
			fmt.Fprintf(t.out, "DIFFERS %s, cut after step %d, %s: %s\n%s\n", x.c.Name, x.at, x.origin, fault, x.snapshot)
		}
	}
	native := x.native[x.at+1:][:len(got)]
	if len(conformance.Compare(withoutPending(native), withoutPending(got), false)) > 0 {
		t.otherwise++
	}
}

// report prints the numbers.
func (t *tally) report() {
	fmt.Fprintf(t.out, "%d cases (%d others have nothing to compare), %d snapshots imported and restored, %d steps compared: %d snapshots differ\n",
		t.cases, t.skipped, t.cuts, t.steps, t.differ)
	fmt.Fprintf(t.out, "%d snapshots refused, since the delay of an active state looks at the event that entered it\n", t.refused)
	fmt.Fprintf(t.out, "%d steps not compared, since timers run that XState does not start again\n", t.unfollowed)
	fmt.Fprintf(t.out, "after %d of the snapshots a machine that was never persisted goes on differently: it still has its timers and the order of its states\n", t.otherwise)
}

// withoutPending returns entries without their timers, at any depth.
func withoutPending(entries []value.Value) []value.Value {
	out := make([]value.Value, len(entries))
	for i, e := range entries {
		out[i] = strip(e)
	}
	return out
}

func strip(entry value.Value) value.Value {
	out := value.OfObject()
	for i := range entry.Len() {
		switch key, v := entry.Member(i); key {
		case "pending":
		case "children":
			children := value.OfObject()
			for j := range v.Len() {
				id, c := v.Member(j)
				children = children.With(id, strip(c))
			}
			out = out.With(key, children)
		default:
			out = out.With(key, v)
		}
	}
	return out
}
