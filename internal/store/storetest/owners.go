package storetest

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/detent-run/detent/internal/store"
)

var ownerTests = []test{
	{"owner: ids are never used again", joinAnew},
	{"owner: heartbeats, and the world as others see it", beat},
	{"owner: leases are exclusive", leaseAtOnce},
	{"owner: release gives up one's own", release},
	{"owner: leave", leave},
	{"owner: takeover", takeOver},
	{"owner: takeover of one that lives", takeOverLiving},
	{"owner: two survivors at once", takeOverAtOnce},
	{"owner: no lease without an owner", leaseFenced},
}

func joinAnew(b *bench) {
	seen := map[int64]bool{b.owner: true}
	for range 5 {
		id := b.join()
		if seen[id] {
			b.Errorf("owner %d again", id)
		}
		seen[id] = true
		if err := b.Leave(b.ctx, id); err != nil {
			b.Error(err)
		}
	}
}

// peer returns what the bench's owner sees of another.
func (b *bench) peer(id int64) (store.Peer, bool) {
	b.Helper()
	for _, p := range must(b.Beat(b.ctx, b.owner)).Peers {
		if p.ID == id {
			return p, true
		}
	}
	return store.Peer{}, false
}

func beat(b *bench) {
	other := b.join()
	first := must(b.Beat(b.ctx, b.owner))
	same(b, "held", first.Held, b.buckets)
	same(b, "unowned", len(first.Unowned), 0)
	same(b, "peers", len(first.Peers), 2)
	if err := b.Release(b.ctx, b.owner, b.buckets[:2]); err != nil {
		b.Fatal(err)
	}
	must(b.Beat(b.ctx, other))
	second := must(b.Beat(b.ctx, b.owner))
	same(b, "held", second.Held, b.buckets[2:])
	same(b, "unowned", second.Unowned, b.buckets[:2])
	for i, p := range second.Peers {
		same(b, "heartbeat", p.Heartbeat, first.Peers[i].Heartbeat+1)
		same(b, "buckets", p.Held, map[int64]int{b.owner: 254, other: 0}[p.ID])
		same(b, "had the lock", p.HadLock || p.Present, false)
	}
	if _, err := b.Beat(b.ctx, other+1000); !errors.Is(err, store.ErrFenced) {
		b.Errorf("beat of an owner that never was: %v", err)
	}
}

func leaseAtOnce(b *bench) {
	if err := b.Release(b.ctx, b.owner, b.buckets); err != nil {
		b.Fatal(err)
	}
	const owners = 4
	got := make([][]int16, owners)
	var wg sync.WaitGroup
	for i := range owners {
		id := b.join()
		wg.Go(func() {
			// One that is outrun gets fewer at a time: it asks until all are taken.
			for range 200 {
				some, err := b.Lease(b.ctx, id, 10)
				if err != nil {
					b.Error(err)
					return
				}
				if len(some) > 10 {
					b.Errorf("asked for 10, got %d", len(some))
				}
				got[i] = append(got[i], some...)
			}
		})
	}
	wg.Wait()
	same(b, "all buckets, each once", slices.Sorted(slices.Values(slices.Concat(got...))), b.buckets)
}

func release(b *bench) {
	other := b.join()
	if err := b.Release(b.ctx, other, b.buckets); err != nil {
		b.Error(err)
	}
	same(b, "held by the first", len(must(b.Beat(b.ctx, b.owner)).Held), store.Buckets)
	if err := b.Release(b.ctx, b.owner, []int16{7, 9}); err != nil {
		b.Error(err)
	}
	same(b, "leased", slices.Sorted(slices.Values(must(b.Lease(b.ctx, other, 10)))), []int16{7, 9})
}

func leave(b *bench) {
	if err := b.Leave(b.ctx, b.owner); err != nil {
		b.Fatal(err)
	}
	if _, err := b.Beat(b.ctx, b.owner); !errors.Is(err, store.ErrFenced) {
		b.Errorf("beat after leaving: %v", err)
	}
	if err := b.Leave(b.ctx, b.owner); !errors.Is(err, store.ErrFenced) {
		b.Errorf("leave again: %v", err)
	}
	b.owner = b.join()
	same(b, "unowned", len(must(b.Beat(b.ctx, b.owner)).Unowned), store.Buckets)
}

func takeOver(b *bench) {
	b.start("m")
	survivor := b.join()
	dead, there := b.peer(b.owner)
	if !there || !must(b.TakeOver(b.ctx, dead)) {
		b.Fatal("not taken over")
	}
	if _, err := b.Apply(b.ctx, b.commit()); !errors.Is(err, store.ErrFenced) {
		b.Errorf("the dead owner's commit: %v", err)
	}
	if _, err := b.Beat(b.ctx, b.owner); !errors.Is(err, store.ErrFenced) {
		b.Errorf("the dead owner's heartbeat: %v", err)
	}
	same(b, "again", must(b.TakeOver(b.ctx, dead)), false)
	same(b, "leased", len(must(b.Lease(b.ctx, survivor, store.Buckets))), store.Buckets)
	b.owner = survivor
	b.accept("m", "c:1")
	c := b.commit()
	b.take(c, "m", "c:1", 2)
	b.apply(c)
}

func takeOverLiving(b *bench) {
	dead, _ := b.peer(b.owner)
	must(b.Beat(b.ctx, b.owner))
	same(b, "taken over", must(b.TakeOver(b.ctx, dead)), false)
	b.apply(b.commit())
	same(b, "held", len(must(b.Beat(b.ctx, b.owner)).Held), store.Buckets)
}

func takeOverAtOnce(b *bench) {
	dead, _ := b.peer(b.owner)
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			ended, err := b.TakeOver(b.ctx, dead)
			if err != nil {
				b.Error(err)
			}
			if ended {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	same(b, "winners", won.Load(), 1)
}

func leaseFenced(b *bench) {
	other := b.join()
	if err := b.Release(b.ctx, b.owner, b.buckets); err != nil {
		b.Fatal(err)
	}
	if err := b.Leave(b.ctx, other); err != nil {
		b.Fatal(err)
	}
	if got, err := b.Lease(b.ctx, other, 10); len(got) != 0 || err != nil {
		b.Errorf("an owner that is no more leased %v, %v", got, err)
	}
}
