package storetest

import (
	"errors"

	"github.com/detent-run/detent/internal/store"
)

var parkTests = []test{
	{"park: deferred one by one, and waiting again", deferAndUnpark},
	{"park: a suspended machine is off the work lists", suspend},
	{"park: a late event is not parked unseen", suspendLate},
	{"park: unparked events do not fail the commit check", unparkAfterCheck},
}

func deferAndUnpark(b *bench) {
	b.start("m", "n")
	first := b.accept("m", "c:1")
	b.accept("m", "c:2")
	b.accept("n", "c:1")
	c := b.commit()
	c.Deferred = []store.EventRef{ref("m", "c:1")}
	b.apply(c)
	same(b, "waiting", b.waiting(), []string{"m c:2", "n c:1"})
	same(b, "by machine", len(must(b.ClaimMachines(b.ctx, []store.Key{key("m")}, 10)).Events), 1)
	for _, m := range must(b.LoadMachines(b.ctx, []store.Key{key("m"), key("n")})) {
		same(b, "deferred events of "+m.Key.Machine, m.Deferred, m.Key.Machine == "m")
	}
	same(b, "sent again", must(b.Accept(b.ctx, []store.Incoming{incoming("m", "c:1", `{"type":"GO"}`)})),
		[]store.Acceptance{{Outcome: store.Duplicate, AcceptedAt: first}})

	c = b.commit()
	c.Unparked = []store.Key{key("m")}
	b.apply(c)
	same(b, "waiting again, in its place", b.waiting(), []string{"m c:1", "m c:2", "n c:1"})
}

func suspend(b *bench) {
	b.start("m", "n")
	for _, id := range []string{"m", "n"} {
		b.accept(id, "c:1")
		b.accept(id, "c:2")
	}
	c := b.commit()
	c.TimersAdded = []store.TimerRow{timer("m", 1), timer("m", 2), timer("n", 1)}
	b.apply(c)
	c = b.commit()
	c.Parked = []store.Key{key("m")}
	row := snapshot("m", 2, "suspended")
	row.Reason = []byte(`{"code":"x"}`)
	c.Snapshots = []store.SnapshotRow{row}
	c.History = []store.HistoryEntry{b.entry("m", "", 2, "suspended")}
	b.apply(c)
	same(b, "waiting", b.waiting(), []string{"n c:1", "n c:2"})
	same(b, "timers", b.due(), []store.TimerRow{timer("n", 1)})
	same(b, "reason", string(b.find("m").Reason), `{"code":"x"}`)

	b.accept("m", "c:3") // the door does not know of suspensions
	same(b, "waiting", b.waiting(), []string{"n c:1", "n c:2", "m c:3"})
	c = b.commit()
	c.Unparked = []store.Key{key("m")}
	c.TimersAdded = []store.TimerRow{timer("m", 1), timer("m", 2)}
	b.apply(c)
	same(b, "waiting", b.waiting(), []string{"m c:1", "m c:2", "n c:1", "n c:2", "m c:3"})
}

func suspendLate(b *bench) {
	b.start("m", "n")
	at := b.accept("m", "c:1")
	c := b.commit()
	c.Parked = []store.Key{key("m")}
	c.Checks = []store.Check{{Key: key("m"), Time: at, No: 2}}
	b.refused(c, func(err error) bool {
		var late *store.LateEventsError
		return errors.As(err, &late)
	})
}

func unparkAfterCheck(b *bench) {
	b.start("m")
	b.accept("m", "c:1")
	c := b.commit()
	c.Deferred = []store.EventRef{ref("m", "c:1")}
	b.apply(c)
	at := b.accept("m", "c:2")
	c = b.commit()
	b.take(c, "m", "c:2", 2)
	c.Checks = []store.Check{{Key: key("m"), Time: at, No: 1}}
	c.Unparked = []store.Key{key("m")}
	b.apply(c)
	same(b, "waiting", b.waiting(), []string{"m c:1"})
}
