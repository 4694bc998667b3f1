package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/detent-run/detent/internal/store"
)

var claimTests = []test{
	{"claim: oldest first over all buckets, and the limit", claimOrder},
	{"claim: only the buckets asked for", claimBuckets},
	{"claim: nothing of the excepted machines", claimExcept},
	{"claim: what history has already is marked", claimSeen},
	{"claim: a reading of the clock that is before the events", claimClock},
	{"claim machines: theirs alone, so many of each", claimMachines},
	{"claim: no more than fits, and at least one", claimLarge},
	{"claim machines: no more than fits, at least one of each, and whose are left", claimMachinesLarge},
	{"load: machines with their newest snapshots", loadMachines},
	{"load: no more than fits, and at least one", loadLarge},
}

func claimOrder(b *bench) {
	machines := machinesOf(20)
	b.start(machines...)
	want := []string{}
	for i := range 60 {
		id := machines[(i*7)%len(machines)]
		b.accept(id, fmt.Sprintf("c:%d", i))
		want = append(want, fmt.Sprintf("%s c:%d", id, i))
	}
	same(b, "all", b.waiting(), want)
	for _, limit := range []int{1, 7, 59, 60, 61} {
		page := must(b.Claim(b.ctx, b.buckets, limit))
		got := []string{}
		for _, e := range page.Events {
			got = append(got, e.Key.Machine+" "+e.EventID)
		}
		same(b, fmt.Sprintf("the first %d", limit), got, want[:min(limit, 60)])
		same(b, fmt.Sprintf("more than %d", limit), page.More, limit < 60)
	}
}

func claimBuckets(b *bench) {
	machines := machinesOf(20)
	b.start(machines...)
	for _, id := range machines {
		b.accept(id, "c:1")
	}
	mine := []int16{key(machines[0]).Bucket(), key(machines[1]).Bucket()}
	want := []string{}
	for _, id := range machines {
		if slices.Contains(mine, key(id).Bucket()) {
			want = append(want, id)
		}
	}
	got := []string{}
	for _, e := range must(b.Claim(b.ctx, mine, 1000)).Events {
		got = append(got, e.Key.Machine)
	}
	same(b, "machines", got, want)
	same(b, "of no buckets", len(must(b.Claim(b.ctx, nil, 10)).Events), 0)
}

func claimExcept(b *bench) {
	b.start("m", "n", "o")
	for i := range 5 {
		for _, id := range []string{"m", "n", "o"} {
			b.accept(id, fmt.Sprintf("c:%d", i))
		}
	}
	page := must(b.Claim(b.ctx, b.buckets, 4, key("m"), key("o")))
	for i, e := range page.Events {
		same(b, "event", e.Key.Machine+" "+e.EventID, fmt.Sprintf("n c:%d", i))
	}
	same(b, "more", page.More, true)
	page = must(b.Claim(b.ctx, b.buckets, 5, key("m"), key("o")))
	same(b, "all", len(page.Events), 5)
	same(b, "no more", page.More, false)
}

// claimSeen makes what an Accept that loses a race with a lane leaves behind: a second row of an event
// that was handled.
func claimSeen(b *bench) {
	b.start("m", "n")
	b.accept("m", "c:1")
	b.accept("n", "c:1")
	c := b.commit()
	c.History = append(c.History, b.entry("m", "c:1", 2, "applied"))
	b.apply(c)
	for _, e := range must(b.Claim(b.ctx, b.buckets, 10)).Events {
		same(b, "seen: "+e.Key.Machine, e.Seen, e.Key.Machine == "m")
	}
	for _, e := range must(b.ClaimMachines(b.ctx, []store.Key{key("m"), key("n")}, 10)).Events {
		same(b, "seen: "+e.Key.Machine, e.Seen, e.Key.Machine == "m")
	}
}

func claimClock(b *bench) {
	b.start("m")
	at := b.accept("m", "c:1")
	page := must(b.Claim(b.ctx, b.buckets, 10))
	if page.Now.Before(at) || !page.Clock.Database.Equal(page.Now) || page.Clock.Sent.After(page.Clock.Received) {
		b.Errorf("accepted at %v, page read at %v, sample %+v", at, page.Now, page.Clock)
	}
	if later := b.accept("m", "c:2"); later.Before(page.Now) {
		b.Errorf("accepted at %v, after a page of %v", later, page.Now)
	}
}

func claimMachines(b *bench) {
	b.start("m", "n", "o")
	for i := range 5 {
		for _, id := range []string{"m", "n", "o"} {
			b.accept(id, fmt.Sprintf("c:%d", i))
		}
	}
	page := must(b.ClaimMachines(b.ctx, []store.Key{key("m"), key("o"), key("none")}, 2))
	got := []string{}
	for _, e := range page.Events {
		got = append(got, e.Key.Machine+" "+e.EventID)
	}
	same(b, "events", got, []string{"m c:0", "o c:0", "m c:1", "o c:1"})
	if page.Now.IsZero() {
		b.Error("no reading of the clock")
	}
}

// largeText is JSON text of so many bytes.
func largeText(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }

func (b *bench) acceptLarge(machine, eventID string, size int) {
	must(b.Accept(b.ctx, []store.Incoming{incoming(machine, eventID, largeText(size))}))
}

func claimLarge(b *bench) {
	b.start("m", "n")
	const size = 1 << 20
	for i := range 6 {
		b.acceptLarge("m", fmt.Sprintf("c:%d", i), size)
		b.acceptLarge("n", fmt.Sprintf("c:%d", i), size)
	}
	page := must(b.Claim(b.ctx, b.buckets, 100))
	same(b, "events", len(page.Events), 8)
	same(b, "more", page.More, true)
	same(b, "first", page.Events[0].Key.Machine+" "+page.Events[0].EventID, "m c:0")
	page = must(b.Claim(b.ctx, b.buckets, 8))
	same(b, "more than the limit", page.More, true)
}

func claimMachinesLarge(b *bench) {
	b.start("m", "n", "o", "p")
	for i := range 3 {
		b.acceptLarge("m", fmt.Sprintf("c:%d", i), 1<<20)
		b.acceptLarge("n", fmt.Sprintf("c:%d", i), 50_000)
		b.accept("o", fmt.Sprintf("c:%d", i))
	}
	page := must(b.ClaimMachines(b.ctx, []store.Key{key("m"), key("n"), key("o"), key("p")}, 3))
	read := map[string]int{}
	for _, e := range page.Events {
		read[e.Key.Machine]++
	}
	same(b, "read", read, map[string]int{"m": 1, "n": 3, "o": 3})
	same(b, "cut", page.Cut, map[store.Key]bool{key("m"): true, key("n"): false, key("o"): false})
	page = must(b.ClaimMachines(b.ctx, []store.Key{key("o")}, 2))
	same(b, "cut by the limit", page.Cut, map[store.Key]bool{key("o"): true})
}

func loadLarge(b *bench) {
	b.start("m", "n", "o")
	c := b.commit()
	for _, id := range []string{"m", "n", "o"} {
		b.accept(id, "c:1")
		b.take(c, id, "c:1", 2)
		c.Snapshots[len(c.Snapshots)-1].Snapshot = []byte(largeText(4 << 20))
	}
	b.apply(c)
	got := must(b.LoadMachines(b.ctx, []store.Key{key("o"), key("n"), key("m")}))
	for i, want := range []string{"o", "n", "m"} {
		same(b, "machine", got[i].Key.Machine, want)
		same(b, "omitted: "+want, got[i].Omitted, want == "m")
		same(b, "read: "+want, got[i].Snapshot != nil, want != "m")
	}
}

func loadMachines(b *bench) {
	b.start("m")
	b.create("n")
	b.accept("m", "c:1")
	c := b.commit()
	b.take(c, "m", "c:1", 2)
	b.apply(c)
	got := must(b.LoadMachines(b.ctx, []store.Key{key("n"), key("none"), key("m")}))
	slices.SortFunc(got, func(x, y store.Machine) int { return int(x.Seq - y.Seq) })
	want := []store.Machine{b.find("n"), b.find("m")}
	for i := range want {
		want[i].Owner = "" // people's business
	}
	same(b, "machines", got, want)
	same(b, "newest", string(got[1].Snapshot), `{"status":"active","value":"s2","context":{}}`)
	same(b, "none", len(must(b.LoadMachines(b.ctx, nil))), 0)
}
