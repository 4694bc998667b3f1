package machine_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// menagerie is definitions that between them use everything that the engine has. They take the events
// A to F, timers, and the answers of their actors, in any order.
var menagerie = []string{
	toggle, counter, guarded, nested, regions, timed,
	`
machine:
  id: m
  context: {n: 0, log: []}
  type: parallel
  on: {F: {target: "#m", reenter: true, guard: {expr: "context.n > 3"}, actions: {assign: {n: 0}}}}
  states:
    work:
      initial: idle
      states:
        idle: {on: {A: busy, E: hist}, tags: [rest]}
        busy:
          initial: one
          entry: {assign: {n: context.n + 1}}
          exit: {emit: {event: {type: LEFT, n: "{{ context.n }}"}}}
          after: {5s: {target: idle, guard: {stateIn: side.off}}, slow: over}
          on: {B: idle, C: {target: .two, reenter: true}, "*": {actions: {log: "ignored {{ event.type }}"}}}
          onDone: over
          states:
            one: {on: {A: two, D: {actions: {raise: {event: {type: A}}}}}}
            two: {always: {target: three, guard: {expr: "context.n % 2 == 0"}}, on: {A: three}}
            three: {type: final, output: {n: "{{ context.n }}"}}
        hist: {history: deep, target: busy.two}
        over: {on: {A: idle, B: {target: hist}}}
    side:
      initial: off
      states:
        off: {on: {C: on}}
        on:
          invoke: {id: job, src: job, input: {n: "{{ context.n }}"}, onDone: off, onError: {target: off, actions: {assign: {n: context.n + 10}}}}
          entry: [{raise: {event: {type: B}, delay: 2s, id: later}}, {sendTo: {to: job, event: {type: HI}, delay: 1s}}]
          on: {D: {actions: {cancel: later}}, E: {target: on, reenter: true}}
setup:
  delays: {slow: "8000 - context.n * 100", unused: {cron: "0 * * * *"}}
  actors: {job: {task: {queue: "q-{{ input.n }}"}}}
`,
	`
machine:
  id: m
  context: {kids: 0}
  initial: a
  states:
    a:
      entry: {assign: {kids: context.kids + 1}}
      on:
        A: {actions: {spawnChild: {src: kid, id: "kid-{{ context.kids }}", input: "{{ now }}"}}}
        B: {actions: [{sendTo: {to: "kid-{{ context.kids }}", event: {type: PING}}}]}
        C: {target: a, reenter: true}
        D: b
        E: {actions: {stopChild: "kid-{{ context.kids }}"}}
    b: {always: [{target: c, guard: {expr: "context.kids > 2"}}, a]}
    c: {type: final, output: "{{ self.id }}"}
  output: "{{ event.output }}"
setup: {actors: {kid: {machine: kid}}}
options: {onError: fail}
`,
}

// walk lets a machine go wherever the bytes lead: each chooses an event, a timer or an answer.
func walk(t *testing.T, definition string, moves []byte) {
	x := newTriplets(t, definition)
	d := x.d
	self := &machine.Identity{ID: "m-1", Definition: "menagerie", Version: 1}
	now := machine.Time(0)
	snapshot := x.macrostep(t, func(w *machine.Workspace, d *machine.Definition) (machine.Result, error) {
		return w.Start(d, self, value.Value{}, machine.Moment{})
	}).Snapshot
	for _, move := range moves {
		ev, at := choose(snapshot, move, now)
		now = max(now, at)
		before := d.AppendSnapshot(nil, snapshot)
		r := x.macrostep(t, func(w *machine.Workspace, d *machine.Definition) (machine.Result, error) {
			return w.Step(d, snapshot, ev, machine.Moment{Event: at, Processing: at})
		})
		if after := d.AppendSnapshot(nil, snapshot); !bytes.Equal(before, after) {
			t.Fatalf("the step has changed the snapshot before it from\n%s\nto\n%s", before, after)
		}
		hold(t, snapshot, ev, r)
		snapshot = r.Snapshot
	}
}

// choose turns a byte into an event. A third of the bytes let the next timer fire.
func choose(s machine.Snapshot, move byte, now machine.Time) (machine.Event, machine.Time) {
	switch {
	case move%3 == 0 && len(s.Timers) > 0:
		next := s.Timers[0]
		ev := machine.NewEvent(next.Event)
		ev.Origin, ev.Timer = machine.FromTimer, next.No
		return ev, next.Deadline
	case move%7 == 0 && len(s.Children) > 0:
		kind := []string{"done", "error"}[move/7%2]
		id := s.Children[int(move)%len(s.Children)].ID
		ev := machine.NewEvent(value.OfObject(
			value.Member{Key: "type", Value: value.OfText("xstate." + kind + ".actor." + id)},
			value.Member{Key: "actorId", Value: value.OfText(id)},
		))
		ev.Origin = machine.FromResult
		return ev, now
	default:
		ev := machine.NewEvent(value.OfObject(
			value.Member{Key: "type", Value: value.OfText(string(rune('A' + move%6)))},
			value.Member{Key: "n", Value: value.OfInt(int64(move))},
		))
		return ev, now + machine.Time(move)*1000
	}
}

// triplets make every macrostep in three ways that must agree: in a new workspace, in one that served
// all macrosteps before, and with nothing worked out ahead.
type triplets struct {
	d, unplanned *machine.Definition
	space        machine.Workspace
}

func newTriplets(tb testing.TB, definition string) *triplets {
	tb.Helper()
	doc, err := syntax.DecodeYAML([]byte(definition))
	if err != nil {
		tb.Fatal(err)
	}
	unplanned, err := machine.CompileUnplanned(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return &triplets{d: compile(tb, definition), unplanned: unplanned}
}

// macrostep makes a macrostep three times and through JSON, and returns the result. What an earlier one
// returned must be as it was when the workspace has been used again.
func (x *triplets) macrostep(t *testing.T, run func(*machine.Workspace, *machine.Definition) (machine.Result, error)) machine.Result {
	t.Helper()
	r, err := run(new(machine.Workspace), x.d)
	want := describeResult(x.d, r, err)
	used, usedErr := run(&x.space, x.d)
	unplanned, unplannedErr := run(&x.space, x.unplanned)
	if got := describeResult(x.d, used, usedErr); got != want {
		t.Fatalf("a step gives\n%s\nand in a workspace that is used again\n%s", want, got)
	}
	if got := describeResult(x.d, unplanned, unplannedErr); got != want {
		t.Fatalf("a step gives\n%s\nand without anything worked out ahead\n%s", want, got)
	}
	text := x.d.AppendSnapshot(nil, r.Snapshot)
	restored, ok := x.d.ReadWritten(text)
	if !ok {
		t.Fatalf("%s\nis not read the quick way", text)
	}
	patiently, decodeErr := x.d.ReadPatiently(text)
	if decodeErr != nil {
		t.Fatalf("%s\n%v", text, decodeErr)
	}
	for _, s := range []machine.Snapshot{restored, patiently} {
		if other := x.d.AppendSnapshot(nil, s); !bytes.Equal(text, other) {
			t.Fatalf("%s\nis read as\n%s", text, other)
		}
	}
	restored.Self = r.Snapshot.Self
	r.Snapshot = restored
	return r
}

// hold checks what is true of every step.
func hold(t *testing.T, before machine.Snapshot, ev machine.Event, r machine.Result) {
	t.Helper()
	s := r.Snapshot
	if s.Now < before.Now {
		t.Fatalf("time went back from %d to %d", before.Now, s.Now)
	}
	if before.Status == machine.Active && s.Seq != before.Seq+1 {
		t.Fatalf("entry %d follows %d", s.Seq, before.Seq)
	}
	if err := balance(before, ev, r); err != nil {
		t.Fatalf("%v\nafter %s", err, ev.Data)
	}
}

// balance holds the effects to the lists: what was there before, with what was started and without
// what was stopped, is what is there now.
func balance(before machine.Snapshot, ev machine.Event, r machine.Result) error {
	timers, actors := map[int64]bool{}, map[int64]bool{}
	for _, t := range before.Timers {
		timers[t.No] = t.No != ev.Timer
	}
	for _, c := range before.Children {
		actors[c.No] = true
	}
	for _, e := range r.Effects {
		switch e := e.(type) {
		case machine.StartTimer:
			timers[e.Timer.No] = true
		case machine.CancelTimer:
			timers[e.Timer.No] = false
		case machine.StartTask:
			actors[e.No] = e.ID != ""
		case machine.StartChild:
			actors[e.No] = true
		case machine.CancelTask:
			actors[e.No] = false
		case machine.StopChild:
			actors[e.No] = false
		}
	}
	if before.Status != machine.Active {
		return nil
	}
	for no, running := range timers {
		if running != slices.ContainsFunc(r.Snapshot.Timers, func(t machine.Timer) bool { return t.No == no }) {
			return fmt.Errorf("the effects and the list disagree about timer %d", no)
		}
	}
	for no, running := range actors {
		if running != slices.ContainsFunc(r.Snapshot.Children, func(c machine.Child) bool { return c.No == no }) {
			return fmt.Errorf("the effects and the list disagree about actor %d", no)
		}
	}
	return nil
}

// TestWalks takes every definition of the menagerie for many walks.
func TestWalks(t *testing.T) {
	t.Parallel()
	for i, definition := range menagerie {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			seed := uint32(i)
			for range 60 {
				moves := make([]byte, 40)
				for j := range moves {
					seed = seed*1664525 + 1013904223 // a linear congruence: the same walks every time
					moves[j] = byte(seed >> 24)
				}
				walk(t, definition, moves)
			}
		})
	}
}

// FuzzStep walks where the fuzzer leads.
func FuzzStep(f *testing.F) {
	f.Add(6, []byte{0, 1, 2, 3, 4, 5, 7, 14, 21, 9, 12})
	f.Add(7, []byte{6, 7, 8, 9, 10, 14, 3, 1, 3})
	f.Fuzz(func(t *testing.T, which int, moves []byte) {
		if which < 0 || len(moves) > 200 {
			return
		}
		walk(t, menagerie[which%len(menagerie)], moves)
	})
}

// FuzzDecodeSnapshot holds reading to be safe on any text, and what it accepts to be legal: it can be
// written, read again, and stepped from.
func FuzzDecodeSnapshot(f *testing.F) {
	definition := menagerie[6]
	for _, moves := range [][]byte{nil, {1}, {2, 1, 6, 2}} {
		d := compile(f, definition)
		s := start(f, d)
		for _, move := range moves {
			ev, at := choose(s, move, s.Now)
			r, _ := d.Step(s, ev, machine.Moment{Event: at, Processing: at})
			s = r.Snapshot
		}
		f.Add(d.AppendSnapshot(nil, s))
	}
	x := newTriplets(f, definition)
	d := x.d
	f.Fuzz(func(t *testing.T, text []byte) {
		self := &machine.Identity{ID: "m-1"}
		s, err := d.DecodeSnapshot(self, text)
		if _, errPatient := d.ReadPatiently(text); (err == nil) != (errPatient == nil) {
			t.Fatalf("one reader says %v, and the other %v", err, errPatient)
		}
		if err != nil {
			if e := (*machine.SnapshotError)(nil); !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		x.live(t, self, s)
	})
}

// live holds a snapshot that came from outside to what every snapshot keeps: it is read back as it was
// written, and the machine can go on from it.
func (x *triplets) live(t *testing.T, self *machine.Identity, s machine.Snapshot) {
	t.Helper()
	written := x.d.AppendSnapshot(nil, s)
	again, err := x.d.DecodeSnapshot(self, written)
	if err != nil {
		t.Fatalf("%s\n%v", written, err)
	}
	if other := x.d.AppendSnapshot(nil, again); !bytes.Equal(written, other) {
		t.Fatalf("%s\nis read as\n%s", written, other)
	}
	for move := range byte(12) {
		ev, at := choose(s, move, s.Now)
		x.macrostep(t, func(w *machine.Workspace, d *machine.Definition) (machine.Result, error) {
			return w.Step(d, s, ev, machine.Moment{Event: at, Processing: at})
		})
	}
}
