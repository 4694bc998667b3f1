package machine_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

var (
	twinRuns = flag.Int("twin.runs", 2000, "how many random machines the engine and its twin are compared on")
	twinSeed = flag.Uint64("twin.seed", 1, "the seed of the first of them; the next has the next")
)

// twinEvents is how many events a random machine gets.
const twinEvents = 25

// twinBatch is how many machines make one test.
const twinBatch = 250

// TestTwin compares the engine with its twin on random machines. Run one again with
// -twin.seed=N -twin.runs=1, and more of them with larger numbers.
func TestTwin(t *testing.T) {
	t.Parallel()
	for first := *twinSeed; first < *twinSeed+uint64(*twinRuns); first += twinBatch {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			var seen tally
			for seed := first; seed < min(first+twinBatch, *twinSeed+uint64(*twinRuns)); seed++ {
				compareTwins(t, seed, &seen)
			}
			t.Logf("%+v", seen)
		})
	}
}

// FuzzTwin does the same from the seeds that the fuzzer thinks of.
func FuzzTwin(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { compareTwins(t, seed, &tally{}) })
}

// tally counts what a comparison has come across, so that it can be seen to be about something.
type tally struct {
	Machines, Refused, Steps, Handled, Microsteps, Timers, Done, Failed, Records, Actors int
}

func (c *tally) add(r twinResult) {
	c.Steps++
	c.Microsteps += len(r.trace)
	if r.handled {
		c.Handled++
	}
	c.Timers += len(r.machine.timers)
	c.Records += len(r.machine.history)
	c.Actors += len(r.machine.children)
}

// pair is a machine on the engine and its twin.
type pair struct {
	t    *testing.T
	seed uint64
	doc  *syntax.Document
	d    *machine.Definition
	w    *twin
	room machine.Workspace
	self *machine.Identity

	fast machine.Snapshot
	slow twinMachine
}

// compareTwins lets a random machine run on both.
func compareTwins(t *testing.T, seed uint64, seen *tally) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("seed %d: %v\n%s", seed, p, debug.Stack())
		}
	}()
	r := rand.New(rand.NewPCG(seed, 0))
	doc, err := syntax.Decode(breed(r))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	d, err := machine.Compile(doc)
	if err != nil {
		seen.Refused++
		if faults := syntax.Faults(nil); !errors.As(err, &faults) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		return
	}
	seen.Machines++
	p := &pair{t: t, seed: seed, doc: doc, d: d, w: newTwin(doc), self: &machine.Identity{ID: "m-1", Definition: "bred", Version: 1}}
	if r.IntN(10) > 0 {
		p.self.Parent = "m-0"
	}
	input := parsed(pick(r, `{"x": 1}`, `{"x": 3, "more": true}`))
	if r.IntN(60) == 0 {
		input = value.Value{}
	}
	at := machine.Moment{Event: 1000, Processing: 1000}
	result, _ := p.room.Start(d, p.self, input, at)
	p.agree("the start", result, p.w.start(p.self, input, at), seen)
	for range twinEvents {
		if p.slow.status != machine.Active {
			break
		}
		p.next(r, seen)
	}
	switch p.slow.status {
	case machine.Done:
		seen.Done++
	case machine.Failed:
		seen.Failed++
	}
}

// next takes one step on both.
func (p *pair) next(r *rand.Rand, seen *tally) {
	p.t.Helper()
	ev, at := p.event(r)
	moment := machine.Moment{Event: at, Processing: at + machine.Time(r.IntN(3)*500)}
	result, _ := p.room.Step(p.d, p.fast, ev, moment)
	p.agree(fmt.Sprintf("%s (timer %d) at %d", ev.Data, ev.Timer, at), result, p.w.step(p.slow, p.self, ev, moment), seen)
}

// event makes up an event: of a timer, of an actor, or from outside.
func (p *pair) event(r *rand.Rand) (machine.Event, machine.Time) {
	switch n := r.IntN(10); {
	case n < 3 && len(p.fast.Timers) > 0:
		timer := p.fast.Timers[0]
		if r.IntN(4) == 0 {
			timer = pick(r, p.fast.Timers...) // they may come in any order
		}
		ev := machine.NewEvent(timer.Event)
		ev.Origin, ev.Timer = machine.FromTimer, timer.No
		return ev, max(timer.Deadline, p.fast.Now+machine.Time(r.IntN(3)-1)*1000)
	case n < 4:
		ev := machine.NewEvent(typed("xstate.after.5.m"))
		ev.Origin, ev.Timer = machine.FromTimer, 1+r.Int64N(4) // most likely not pending
		return ev, p.fast.Now
	case n < 6 && len(p.fast.Children) > 0:
		return p.answer(r), p.fast.Now
	default:
		ev := machine.NewEvent(members("type", value.OfText(pick(r, "A", "B", "C", "D", "E", "k.a", "k.a.b", "other")), "v", value.OfInt(r.Int64N(3))))
		ev.Origin = pick(r, machine.External, machine.FromMessage)
		return ev, p.fast.Now + machine.Time(r.IntN(6)-1)*1000
	}
}

// answer is what an actor tells of its end, now and then one that has been stopped.
func (p *pair) answer(r *rand.Rand) machine.Event {
	id := pick(r, p.fast.Children...).ID
	if r.IntN(10) == 0 {
		id = "k1"
	}
	data := typed("xstate.done.actor."+id).With("output", members("x", value.OfInt(r.Int64N(5))))
	if r.IntN(3) == 0 {
		data = typed("xstate.error.actor."+id).With("error", value.OfText("broken"))
	}
	ev := machine.NewEvent(data.With("actorId", value.OfText(id)))
	ev.Origin = machine.FromResult
	return ev
}

// agree compares two results in everything that there is. The engine goes on with what the JSON of its
// snapshot says, which is also refused unless configuration and history are legal.
func (p *pair) agree(after string, fast machine.Result, slow twinResult, seen *tally) {
	p.t.Helper()
	seen.add(slow)
	got, err := showEngine(p.d, fast)
	if err != nil {
		p.t.Fatal(err)
	}
	if want := slow.show(p.w); got != want {
		p.t.Fatalf("seed %d: after %s the engine says\n%s\nand its twin\n%s\n%s", p.seed, after, got, want, p.doc.Source)
	}
	p.slow = slow.machine
	if p.fast, err = p.d.DecodeSnapshot(p.self, p.d.AppendSnapshot(nil, fast.Snapshot)); err != nil {
		p.t.Fatalf("seed %d: after %s: %v", p.seed, after, err)
	}
}
