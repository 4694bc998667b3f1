package storetest

import (
	"fmt"
	"time"

	"github.com/detent-run/detent/internal/store"
)

var timerTests = []test{
	{"timers: earliest first over all buckets, up to an instant, and the limit", dueTimers},
	{"timers: whole microseconds, far away", farTimers},
	{"timers: overdue ones and buckets that nobody holds", overdue},
}

func dueTimers(b *bench) {
	machines := machinesOf(12)
	b.start(machines...)
	c := b.commit()
	want := []store.TimerRow{}
	for i := range 40 {
		row := timer(machines[(i*5)%len(machines)], int64(i))
		want = append(want, row)
		c.TimersAdded = append(c.TimersAdded, timer(machines[((39-i)*5)%len(machines)], int64(39-i)))
	}
	b.apply(c)
	same(b, "all", b.due(), want)
	for _, n := range []int{0, 1, 17, 39} {
		until := timer("m", int64(n)).Deadline // n's own deadline counts
		rows, more, at, err := b.DueTimers(b.ctx, b.buckets, until, 1000)
		same(b, fmt.Sprintf("until timer %d", n), must(rows, err), want[:n+1])
		if more || at.Database.IsZero() {
			b.Errorf("more %t, sample %+v", more, at)
		}
	}
	for _, limit := range []int{1, 39, 40, 41} {
		rows, more, _, err := b.DueTimers(b.ctx, b.buckets, timer("m", 100).Deadline, limit)
		same(b, fmt.Sprintf("the first %d", limit), must(rows, err), want[:min(limit, 40)])
		same(b, fmt.Sprintf("more than %d", limit), more, limit < 40)
	}
	rows, more, at, err := b.DueTimers(b.ctx, nil, timer("m", 100).Deadline, 10)
	if err != nil || len(rows) != 0 || more || at.Database.IsZero() {
		b.Errorf("of no buckets: %v, more %t, sample %+v, %v", rows, more, at, err)
	}
	mine := []int16{key(machines[0]).Bucket()}
	rows, _, _, err = b.DueTimers(b.ctx, mine, timer("m", 100).Deadline, 1000)
	for _, row := range must(rows, err) {
		same(b, "bucket of "+row.Key.Machine, row.Key.Bucket(), mine[0])
	}
}

func farTimers(b *bench) {
	b.start("m")
	rows := []store.TimerRow{}
	for i, at := range []time.Time{
		time.Date(1750, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 1, 1, 0, 0, 0, 999999000, time.UTC),
		time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC),
		time.Date(2318, 12, 31, 23, 59, 59, 999999000, time.UTC),
	} {
		rows = append(rows, store.TimerRow{Key: key("m"), Deadline: at, No: int64(i) + 1<<53, EventID: "t:1.1", Type: "TICK"})
	}
	c := b.commit()
	c.TimersAdded = rows
	b.apply(c)
	found, _, _, err := b.DueTimers(b.ctx, b.buckets, rows[3].Deadline, 10)
	same(b, "timers", must(found, err), rows)
	c = b.commit()
	c.TimersDeleted = rows
	b.apply(c)
	same(b, "timers", b.due(), []store.TimerRow{})
}

func overdue(b *bench) {
	b.start("m", "n")
	c := b.commit()
	c.TimersAdded = []store.TimerRow{timer("m", 1), timer("n", 2), timer("m", 3)}
	c.TimersAdded[2].Deadline = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)
	b.apply(c)
	if err := b.Release(b.ctx, b.owner, b.buckets[:3]); err != nil {
		b.Fatal(err)
	}
	timers, unowned, err := b.Overdue(b.ctx, time.Second)
	if err != nil || timers != 2 || unowned != 3 {
		b.Errorf("%d timers overdue, %d buckets unowned, %v; want 2 and 3", timers, unowned, err)
	}
	timers, _, err = b.Overdue(b.ctx, 100*365*24*time.Hour)
	if err != nil || timers != 0 {
		b.Errorf("%d timers overdue by a century, %v", timers, err)
	}
}
