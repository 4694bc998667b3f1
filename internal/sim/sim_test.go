package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/engine"
	"github.com/detent-run/detent/internal/store"
)

var (
	runs = flag.Int("sim.runs", 100, "how many simulations with fresh seeds")
	seed = flag.Uint64("sim.seed", 0, "the one seed to run, 0 is fresh ones")
)

// TestMain keeps the garbage of hundreds of simulations from growing to gigabytes between collections.
func TestMain(m *testing.M) {
	debug.SetMemoryLimit(512 << 20)
	os.Exit(m.Run())
}

// TestFixedSeeds are simulations that everybody runs alike.
func TestFixedSeeds(t *testing.T) {
	t.Parallel()
	for s := range uint64(50) {
		simulate(t, s+1)
	}
}

// TestFreshSeeds are simulations that nobody has run before. A failure names its seed.
func TestFreshSeeds(t *testing.T) {
	t.Parallel()
	if *seed != 0 {
		simulate(t, *seed)
		return
	}
	for range *runs {
		simulate(t, rand.Uint64())
	}
}

func simulate(t *testing.T, seed uint64) {
	t.Helper()
	t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed)
			for range 150 + w.random.IntN(150) {
				w.act()
			}
			w.comeToRest()
			w.check()
		})
	})
}

// world is a database, lanes over it, and events on their way.
type world struct {
	t      *testing.T
	random *rand.Rand
	db     *Memory
	keys   []store.Key
	owner  int64
	lanes  []*engine.Lane
	old    []*engine.Lane // of owners that were ended: they may still try
	// stamped are events that have their time but are not visible yet.
	stamped []store.InboxRow
	// visible is when each event became visible, by its id: from then on it may be acknowledged.
	visible map[store.EventRef]time.Time
	events  int
	// defers tells of worlds whose machines defer events. There events become visible at once: deferred
	// ones are tried again in the order in which they were accepted, so one that comes in late changes
	// the order of others, and no list of effective times tells of that.
	defers bool
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(seed, 7)), db: NewMemory(), visible: map[store.EventRef]time.Time{}}
	w.defers = w.random.IntN(3) == 0
	for i := range 1 + w.random.IntN(4) {
		name := fmt.Sprint("d", i)
		w.db.Define(name, []byte(randomDefinition(w.random, w.defers)))
		key := store.Key{Namespace: store.Namespace, Machine: fmt.Sprint("m", i)}
		w.db.Create(key, name)
		w.keys = append(w.keys, key)
	}
	w.db.Fault = func() Fault {
		w.betweenClaimAndApply()
		if w.random.IntN(10) > 0 {
			return NoFault
		}
		return Fault(1 + w.random.IntN(3))
	}
	w.takeOver()
	return w
}

// betweenClaimAndApply lets time pass and events become visible after a lane has read the inbox and
// before it commits: what the commit check is for.
func (w *world) betweenClaimAndApply() {
	if w.random.IntN(3) > 0 {
		return
	}
	time.Sleep(time.Duration(1+w.random.IntN(3000)) * time.Microsecond)
	w.commitOne()
	time.Sleep(time.Microsecond)
}

// takeOver ends the owner and lets a new one take all buckets, in two lanes.
func (w *world) takeOver() {
	w.db.End(w.owner)
	w.old = append(w.old, w.lanes...)
	w.owner, w.lanes = w.db.Join(), nil
	defs := engine.NewDefinitions(w.db)
	for no := range 2 {
		lane := engine.NewLane(w.db, defs, engine.LaneOptions{
			Owner: w.owner, No: no, Clock: &clock.Clock{}, Log: slog.New(slog.DiscardHandler),
		})
		var mine []int16
		for b := no; b < store.Buckets; b += 2 {
			mine = append(mine, int16(b))
		}
		lane.Hold(mine)
		w.lanes = append(w.lanes, lane)
	}
}

// act does one thing that can happen at any moment.
func (w *world) act() {
	switch w.random.IntN(12) {
	case 0, 1, 2:
		w.stamp()
	case 3, 4:
		w.commitOne()
	case 5, 6, 7:
		w.advance(w.lanes[w.random.IntN(len(w.lanes))])
	case 8:
		w.deliver()
	case 9:
		if w.random.IntN(5) == 0 {
			w.takeOver()
		} else if len(w.old) > 0 {
			w.advanceOld()
		}
	case 10:
		time.Sleep(time.Duration(w.random.IntN(50)) * time.Microsecond)
	case 11:
		time.Sleep(time.Duration(w.random.IntN(40)) * time.Millisecond)
	}
}

// stamp gives an event its time; it becomes visible some time later.
func (w *world) stamp() {
	w.events++
	w.stamped = append(w.stamped, store.InboxRow{
		EventRef:  store.EventRef{Key: w.keys[w.random.IntN(len(w.keys))], EventID: fmt.Sprint("c:", w.events)},
		EventTime: time.Now().Truncate(time.Microsecond),
		No:        1,
		Event:     fmt.Appendf(nil, `{"type":"%c","n":%d}`, 'A'+rune(w.random.IntN(4)), w.events),
	})
	if w.random.IntN(3) > 0 || w.defers {
		w.commitOne() // at once, as is usual
	}
}

func (w *world) commitOne() {
	if len(w.stamped) == 0 {
		return
	}
	i := w.random.IntN(len(w.stamped))
	row := w.stamped[i]
	w.stamped = slices.Delete(w.stamped, i, i+1)
	w.visible[row.EventRef] = time.Now()
	w.db.Commit(row)
}

func (w *world) advance(l *engine.Lane) {
	_, err := l.AdvanceOnce(context.Background())
	if err != nil && !errors.Is(err, store.ErrRetry) && !errors.Is(err, store.ErrUnknown) {
		w.t.Fatalf("advance: %v", err)
	}
}

// advanceOld lets a lane whose owner was ended try to go on.
func (w *world) advanceOld() {
	before := w.entries()
	_, err := w.old[w.random.IntN(len(w.old))].AdvanceOnce(context.Background())
	if err == nil && w.entries() != before {
		w.t.Fatal("an owner that was ended has committed")
	}
}

func (w *world) entries() (n int) {
	for _, key := range w.keys {
		n += len(w.db.machines[key].history)
	}
	return n
}

// deliver is the scheduler's part, when it is not stalled.
func (w *world) deliver() {
	all := make([]int16, store.Buckets)
	for i := range all {
		all[i] = int16(i)
	}
	rows, _, _, err := w.db.DueTimers(context.Background(), all, time.Now(), 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range rows {
		w.lanes[int(r.Key.Bucket())%len(w.lanes)].Due(r.Key)
	}
}

// comeToRest lets everything that is due by now be handled.
func (w *world) comeToRest() {
	w.db.Fault = nil
	for len(w.stamped) > 0 {
		w.commitOne()
	}
	time.Sleep(2 * time.Second)
	for range 10_000 {
		w.deliver()
		idle := true
		for _, l := range w.lanes {
			n, err := l.AdvanceOnce(context.Background())
			if err != nil {
				w.t.Fatal(err)
			}
			idle = idle && n == 0
		}
		if idle {
			return
		}
	}
	for _, key := range w.keys {
		w.t.Logf("%s: %s\n%+v", key.Machine, outcome(w.db.machines[key]), w.db.machines[key].inbox)
	}
	w.t.Fatal("the machines never come to rest")
}

func (w *world) check() {
	w.t.Helper()
	for _, key := range w.keys {
		s := w.db.machines[key]
		w.checkComplete(key, s)
		w.checkNotOvertaken(s)
		w.checkOutcome(key, s)
	}
}

// checkComplete: every event has exactly one final entry, unless it is deferred and still waits.
func (w *world) checkComplete(key store.Key, s *stored) {
	w.t.Helper()
	seen := map[string]int{}
	for i, e := range s.history {
		if e.Seq != int64(i)+1 {
			w.t.Fatalf("%s: entry %d has seq %d", key.Machine, i, e.Seq)
		}
		if i > 0 && e.EffectiveTime.Before(s.history[i-1].EffectiveTime) {
			w.t.Fatalf("%s: time goes back at seq %d", key.Machine, e.Seq)
		}
		seen[e.EventID]++
	}
	for _, left := range s.inbox {
		if !left.parked {
			w.t.Fatalf("%s: event %s is left", key.Machine, left.EventID)
		}
		seen[left.EventID]++
	}
	for ref := range w.visible {
		if ref.Key == key && seen[ref.EventID] != 1 {
			w.t.Fatalf("%s: event %s is in history or parked %d times", key.Machine, ref.EventID, seen[ref.EventID])
		}
	}
}

// checkNotOvertaken: an event that could have been acknowledged before something later was committed
// comes before it. What counts for a deferred one is when it was deferred.
func (w *world) checkNotOvertaken(s *stored) {
	w.t.Helper()
	for i, e := range s.firsts() {
		visible, external := w.visible[e.ref]
		if !external {
			continue
		}
		for j, before := range s.history[:e.at] {
			if before.EventTime.After(e.EventTime) && before.Outcome != "deferred" && s.applied[j].After(visible) {
				w.t.Fatalf("%d: event %s of %s was visible at %s, and yet %s of %s went first at %s", i,
					e.ref.EventID, e.EventTime, visible, before.EventID, before.EventTime, s.applied[j])
			}
		}
	}
}

// first is the first decision about an event that is no timer.
type first struct {
	store.HistoryEntry
	ref store.EventRef
	at  int // its index in history
}

// firsts returns, for every event that was decided, the first entry about it: an event that is deferred
// has an entry without its id for each time, and one with it at last.
func (s *stored) firsts() []first {
	ids := map[string]string{}
	for _, e := range s.history {
		if e.EventID != "" && !e.IsTimer {
			ids[string(e.Event)] = e.EventID
		}
	}
	for _, w := range s.inbox {
		ids[string(w.Event)] = w.EventID
	}
	seen := map[string]bool{}
	var all []first
	for i, e := range s.history {
		if e.IsTimer || seen[string(e.Event)] {
			continue
		}
		seen[string(e.Event)] = true
		all = append(all, first{e, store.EventRef{Key: e.Key, EventID: ids[string(e.Event)]}, i})
	}
	return all
}

// checkOutcome: a run in which nothing ever went wrong or came late, with the same events at their
// recorded times, has the same outcome.
func (w *world) checkOutcome(key store.Key, s *stored) {
	w.t.Helper()
	ideal := NewMemory()
	ideal.Define(s.row.Definition, w.db.definitions[s.row.Definition].Document)
	ideal.machines[key] = &stored{row: store.Machine{Key: key, Definition: s.row.Definition, Version: 1, Status: "starting"}}
	for no, e := range s.firsts() {
		// What came in late was decided as of its effective time, behind what was there already.
		ideal.Commit(store.InboxRow{EventRef: e.ref, EventTime: e.EffectiveTime, No: no, Event: e.Event})
	}
	owner := ideal.Join()
	lane := engine.NewLane(ideal, engine.NewDefinitions(ideal), engine.LaneOptions{
		Owner: owner, Clock: &clock.Clock{}, Log: slog.New(slog.DiscardHandler),
	})
	lane.Hold([]int16{key.Bucket()})
	for range 10_000 {
		lane.Due(key)
		n, err := lane.AdvanceOnce(context.Background())
		if err != nil {
			w.t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	got, want := outcome(s), outcome(ideal.machines[key])
	if got != want {
		w.t.Fatalf("%s (definition %s) went\n%s\nand without any trouble it goes\n%s", key.Machine, w.db.definitions[s.row.Definition].Document, got, want)
	}
}

// outcome is all of a machine's history and state that must not depend on when anybody came to it.
func outcome(s *stored) string {
	var out strings.Builder
	for _, e := range s.history {
		fmt.Fprintf(&out, "%d %s %s %s %s->%s %s %s %s\n", e.Seq, e.Outcome, e.EventID, e.EffectiveTime.Format("15:04:05.000000"), e.From, e.To, e.Actions, e.Effects, e.Changes)
	}
	fmt.Fprintf(&out, "%s %s", s.row.Status, s.row.Snapshot)
	return out.String()
}

// randomDefinition makes a small machine in which order shows: every event and timer leaves its mark
// in the context, timers are armed, cancelled and armed again.
func randomDefinition(random *rand.Rand, defers bool) string {
	states := 2 + random.IntN(3)
	name := func(i int) string { return fmt.Sprintf("s%d", i) }
	target := func() string { return name(random.IntN(states)) }
	var list []string
	for i := range states {
		var on, after []string
		for c := range 4 {
			if random.IntN(3) == 0 {
				continue
			}
			mark := fmt.Sprintf(`{"assign": {"log": "context.log + '%c'"}}`, 'a'+c)
			switch random.IntN(4) {
			case 0:
				on = append(on, fmt.Sprintf(`"%c": {"actions": %s}`, 'A'+c, mark))
			case 1:
				on = append(on, fmt.Sprintf(`"%c": {"actions": [%s, {"raise": {"event": {"type": "D"}, "delay": %d, "id": "later"}}]}`, 'A'+c, mark, 1+random.IntN(60)))
			case 2:
				on = append(on, fmt.Sprintf(`"%c": {"target": "%s", "actions": [%s, {"cancel": "later"}]}`, 'A'+c, target(), mark))
			default:
				on = append(on, fmt.Sprintf(`"%c": {"target": "%s", "reenter": true, "actions": %s}`, 'A'+c, target(), mark))
			}
		}
		for n := range random.IntN(3) {
			after = append(after, fmt.Sprintf(`"%d": {"target": "%s", "actions": {"assign": {"log": "context.log + '%d'"}}, "guard": {"expr": "len(context.log) < 60"}}`,
				n*7+1+random.IntN(80), target(), n))
		}
		list = append(list, fmt.Sprintf(`"%s": {"on": {%s}, "after": {%s}}`, name(i), strings.Join(on, ","), strings.Join(dedupe(after), ",")))
	}
	options := []string{"ignore", "deadLetter"}[random.IntN(2)]
	if defers {
		options = "defer"
	}
	return fmt.Sprintf(`{"machine": {"id": "m", "initial": "s0", "context": {"log": ""}, "states": {%s}}, "options": {"unhandledEvents": "%s"}}`,
		strings.Join(list, ","), options)
}

// dedupe keeps the first of each key.
func dedupe(pairs []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(pairs, func(p string) bool {
		key, _, _ := strings.Cut(p, ":")
		again := seen[key]
		seen[key] = true
		return again
	})
}
