package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/detent-run/detent/internal/store"
)

var doorTests = []test{
	{"create: the machine and its first event", createWithEvent},
	{"create: again, and otherwise", createAgain},
	{"create: at once", createAtOnce},
	{"create: what cannot be an id", createHostile},
	{"accept: stamped by the store's clock, in the order of the call", acceptInOrder},
	{"accept: duplicate while it waits", acceptDuplicateWaiting},
	{"accept: duplicate of a handled event", acceptDuplicateHandled},
	{"accept: the same id twice within a call", acceptTwiceWithin},
	{"accept: no such machine", acceptNoMachine},
	{"accept: an id belongs to its machine", acceptIDsOfMachines},
	{"accept: one id at once", acceptAtOnce},
	{"accept: payloads come back byte for byte", acceptPayloads},
	{"accept: nothing", acceptNothing},
}

func createWithEvent(b *bench) {
	b.create("m")
	page := must(b.Claim(b.ctx, b.buckets, 10))
	if len(page.Events) != 1 || page.Events[0].EventRef != ref("m", "i:1") || string(page.Events[0].Event) != `{"type":"xstate.init"}` {
		b.Fatalf("waiting: %+v", page.Events)
	}
	m := b.find("m")
	if m.CreatedAt.IsZero() || !m.UpdatedAt.Equal(m.CreatedAt) {
		b.Errorf("created at %v, updated at %v", m.CreatedAt, m.UpdatedAt)
	}
	want := store.Machine{
		Key: key("m"), Definition: "order", Version: 1, Labels: []byte(`{"team":"a"}`), Status: "starting",
		Owner: m.Owner, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
	same(b, "machine", m, want)
	if at := b.accept("m", "c:1"); at.Before(page.Events[0].EventTime) {
		b.Errorf("the next event happened at %v, before the first at %v", at, page.Events[0].EventTime)
	}
	same(b, "waiting", b.waiting(), []string{"m i:1", "m c:1"})
}

func createAgain(b *bench) {
	m := newMachine("m")
	m.Parent = "p"
	if !must(b.CreateMachine(b.ctx, m)) {
		b.Error("not created")
	}
	if must(b.CreateMachine(b.ctx, m)) {
		b.Error("created twice")
	}
	m.Fingerprint = []byte("other")
	if _, err := b.CreateMachine(b.ctx, m); !errors.Is(err, store.ErrConflict) {
		b.Errorf("another request with this id: %v", err)
	}
	same(b, "waiting", b.waiting(), []string{"m i:1"})
	same(b, "parent", b.find("m").Parent, "p")
}

func createAtOnce(b *bench) {
	var created atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			made, err := b.CreateMachine(b.ctx, newMachine("m"))
			if err != nil {
				b.Error(err)
			}
			if made {
				created.Add(1)
			}
		})
	}
	wg.Wait()
	if created.Load() != 1 {
		b.Errorf("created %d times", created.Load())
	}
	same(b, "waiting", b.waiting(), []string{"m i:1"})
}

// hostile are texts that cannot be the id of a machine.
var hostile = []string{
	"", "/", "a/", "a/b", "a/b~", "a/~1", "/a~1", "a b", "a\n", "a'b", `a"b`, "a\x00", "a\xff", "ä", "-a", "a//b~1", "a/b~1/", "a/b~x",
	strings.Repeat("a", 201), "a" + strings.Repeat("/b~1", 300),
}

func createHostile(b *bench) {
	for _, id := range hostile {
		if made, err := b.CreateMachine(b.ctx, newMachine(id)); err == nil {
			b.Errorf("%q: created %t without an error", id, made)
		} else if errors.Is(err, store.ErrRetry) || errors.Is(err, store.ErrUnknown) {
			b.Errorf("%q: the error invites to try again: %v", id, err)
		}
		if _, err := b.FindMachine(b.ctx, key(id)); !errors.Is(err, store.ErrNotFound) {
			b.Errorf("find %q: %v", id, err)
		}
	}
	for _, id := range []string{"a", "A-1.x_y:z@home", strings.Repeat("a", 200), "a/b~1", "a/b.c%20d~123/e~4", "0"} {
		b.create(id)
		same(b, "found", b.find(id).Key, key(id))
	}
}

func acceptInOrder(b *bench) {
	b.start("m", "n")
	events := []store.Incoming{}
	for i := range 30 {
		// Ids fall while the order rises, so that neither can be mistaken for the other.
		events = append(events, incoming([]string{"m", "n"}[i%2], fmt.Sprintf("c:%02d", 99-i), fmt.Sprintf(`{"type":"E%d"}`, i)))
	}
	before := must(b.Claim(b.ctx, b.buckets, 1)).Now
	answers := must(b.Accept(b.ctx, events))
	page := must(b.Claim(b.ctx, b.buckets, 1000))
	for i, a := range answers {
		if a.Outcome != store.Accepted || a.AcceptedAt.Before(before) || a.AcceptedAt.After(page.Now) {
			b.Errorf("event %d: %d at %v, not between %v and %v", i, a.Outcome, a.AcceptedAt, before, page.Now)
		}
		if a.AcceptedAt.Nanosecond()%1000 != 0 {
			b.Errorf("event %d: %v is not a whole microsecond", i, a.AcceptedAt)
		}
		if got := page.Events[i]; got.EventRef != events[i].EventRef || !got.EventTime.Equal(a.AcceptedAt) {
			b.Errorf("waiting at %d: %s at %v, want %s at %v", i, got.EventID, got.EventTime, events[i].EventID, a.AcceptedAt)
		}
	}
	if later := b.accept("m", "c:x"); later.Before(answers[0].AcceptedAt) {
		b.Errorf("a later call got the earlier time %v", later)
	}
}

func acceptDuplicateWaiting(b *bench) {
	b.start("m")
	at := b.accept("m", "c:1")
	answers := must(b.Accept(b.ctx, []store.Incoming{incoming("m", "c:1", `{"type":"GO"}`)}))
	same(b, "again", answers, []store.Acceptance{{Outcome: store.Duplicate, AcceptedAt: at}})
	answers = must(b.Accept(b.ctx, []store.Incoming{incoming("m", "c:1", `{"type":"STOP"}`)}))
	same(b, "otherwise", answers[0].Outcome, store.Conflict)
	same(b, "waiting", b.waiting(), []string{"m c:1"})
}

func acceptDuplicateHandled(b *bench) {
	b.start("m")
	at := b.accept("m", "c:1")
	c := b.commit()
	b.take(c, "m", "c:1", 2)
	c.History[0].EventTime = at
	b.apply(c)
	answers := must(b.Accept(b.ctx, []store.Incoming{
		incoming("m", "c:1", `{"type":"GO"}`), incoming("m", "c:2", `{"type":"GO"}`),
	}))
	same(b, "again", answers[0], store.Acceptance{Outcome: store.Duplicate, AcceptedAt: at})
	same(b, "another", answers[1].Outcome, store.Accepted)
	answers = must(b.Accept(b.ctx, []store.Incoming{incoming("m", "c:1", `{"type":"STOP"}`)}))
	same(b, "otherwise", answers[0].Outcome, store.Conflict)
	same(b, "waiting", b.waiting(), []string{"m c:2"})
}

func acceptTwiceWithin(b *bench) {
	b.start("m")
	answers := must(b.Accept(b.ctx, []store.Incoming{
		incoming("m", "c:1", `{"type":"GO"}`), incoming("m", "c:1", `{"type":"STOP"}`), incoming("m", "c:1", `{"type":"GO"}`),
		incoming("m", "c:2", `{"type":"GO"}`),
	}))
	at := answers[0].AcceptedAt
	same(b, "answers", answers, []store.Acceptance{
		{Outcome: store.Accepted, AcceptedAt: at},
		{Outcome: store.Conflict, AcceptedAt: at},
		{Outcome: store.Duplicate, AcceptedAt: at},
		{Outcome: store.Accepted, AcceptedAt: at},
	})
	same(b, "waiting", b.waiting(), []string{"m c:1", "m c:2"})
}

func acceptNoMachine(b *bench) {
	b.start("m")
	events := []store.Incoming{incoming("m", "c:1", `{"type":"GO"}`), incoming("n", "c:1", `{"type":"GO"}`)}
	want := []store.AcceptOutcome{store.Accepted, store.NoMachine}
	for _, id := range hostile {
		events = append(events, incoming(id, "c:1", `{"type":"GO"}`))
		want = append(want, store.NoMachine)
	}
	other := incoming("m", "c:1", `{"type":"GO"}`)
	other.Key.Namespace = "other"
	events, want = append(events, other), append(want, store.NoMachine)
	got := []store.AcceptOutcome{}
	for _, a := range must(b.Accept(b.ctx, events)) {
		got = append(got, a.Outcome)
	}
	same(b, "outcomes", got, want)
	same(b, "waiting", b.waiting(), []string{"m c:1"})
}

func acceptIDsOfMachines(b *bench) {
	b.start("m", "m/child~1")
	b.accept("m", "c:1")
	b.accept("m/child~1", "c:1")
	got := b.waiting()
	slices.Sort(got)
	same(b, "waiting", got, []string{"m c:1", "m/child~1 c:1"})
}

func acceptAtOnce(b *bench) {
	machines := machinesOf(5)
	b.start(machines...)
	const callers, rounds = 8, 10
	var accepted atomic.Int32
	times := make([][]time.Time, callers)
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			for round := range rounds {
				events := []store.Incoming{}
				for i := range machines { // each caller goes round from another machine
					events = append(events, incoming(machines[(i+caller)%len(machines)], fmt.Sprintf("c:%d", round), `{"type":"GO"}`))
				}
				answers, err := b.Accept(b.ctx, events)
				if err != nil {
					b.Error(err)
				}
				for i, a := range answers {
					switch a.Outcome {
					case store.Accepted:
						accepted.Add(1)
					case store.Duplicate:
					default:
						b.Errorf("%s of %s: outcome %d", events[i].EventID, events[i].Key.Machine, a.Outcome)
					}
					if events[i].Key.Machine == machines[0] {
						times[caller] = append(times[caller], a.AcceptedAt)
					}
				}
			}
		})
	}
	wg.Wait()
	if int(accepted.Load()) != rounds*len(machines) || len(b.waiting()) != rounds*len(machines) {
		b.Errorf("%d accepted, %d waiting, want %d", accepted.Load(), len(b.waiting()), rounds*len(machines))
	}
	for caller := range callers {
		same(b, "times of acceptance, as told to all callers", times[caller], times[0])
	}
}

func acceptPayloads(b *bench) {
	b.start("m")
	payloads := []string{
		`{"type":"GO","n":9007199254740993,"f":1e300,"neg":-9223372036854775808}`,
		`{"type":"GO","s":"\u0000 \\u0000 \ud83d\ude00 ✓ \" ' $1 @name"}`,
		`{"type":"GO","s":"` + strings.Repeat("x", 1<<20) + `"}`,
		`{"type":"GO","b":1,"a":2}`,
	}
	events := []store.Incoming{}
	for i, p := range payloads {
		events = append(events, incoming("m", fmt.Sprintf("c:%d", i), p))
	}
	must(b.Accept(b.ctx, events))
	for i, e := range must(b.Claim(b.ctx, b.buckets, 10)).Events {
		if string(e.Event) != payloads[i] {
			b.Errorf("payload %d came back as %.100s", i, e.Event)
		}
	}
	for _, a := range must(b.Accept(b.ctx, events)) {
		same(b, "again", a.Outcome, store.Duplicate)
	}
}

func acceptNothing(b *bench) {
	same(b, "answers", must(b.Accept(b.ctx, nil)), []store.Acceptance{})
}
