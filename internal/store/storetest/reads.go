package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/detent-run/detent/internal/store"
)

var readTests = []test{
	{"find: not found", findNone},
	{"find: who holds it", findOwner},
	{"list: every machine once, whatever the page", listPages},
	{"list: filters", listFilters},
	{"history: in order, in pages", historyPages},
	{"history: every field comes back", historyFields},
	{"outcomes: the final entries", outcomes},
}

func findNone(b *bench) {
	b.start("m")
	other := key("m")
	other.Namespace = "other"
	for _, k := range []store.Key{key("n"), other} {
		if _, err := b.FindMachine(b.ctx, k); !errors.Is(err, store.ErrNotFound) {
			b.Errorf("%v: %v", k, err)
		}
	}
}

func findOwner(b *bench) {
	b.start("m")
	same(b, "owner", b.find("m").Owner, store.OwnerName(b.owner))
	if err := b.Release(b.ctx, b.owner, b.buckets); err != nil {
		b.Fatal(err)
	}
	same(b, "owner after release", b.find("m").Owner, "")
}

// list reads all pages.
func (b *bench) list(f store.MachineFilter) []string {
	b.Helper()
	ids := []string{}
	for {
		page := must(b.ListMachines(b.ctx, f))
		if len(page) > f.Limit {
			b.Fatalf("a page of %d has %d machines", f.Limit, len(page))
		}
		for _, m := range page {
			if slices.Contains(ids, m.Key.Machine) {
				b.Fatalf("machine %q again in pages of %d, after %q", m.Key.Machine, f.Limit, f.AfterID)
			}
			ids = append(ids, m.Key.Machine)
		}
		if len(page) < f.Limit {
			return ids
		}
		f.AfterID = ids[len(ids)-1]
	}
}

func listPages(b *bench) {
	machines := append(machinesOf(40), "m-001/child~1", "m-001/child~1/grand~2", "Z", "a.b")
	b.create(machines...)
	slices.Sort(machines)
	first := b.list(store.MachineFilter{Namespace: store.Namespace, Limit: 1000})
	sorted := slices.Sorted(slices.Values(first))
	same(b, "machines", sorted, machines)
	for _, limit := range []int{1, 3, 44, 45} {
		same(b, fmt.Sprintf("in pages of %d", limit), b.list(store.MachineFilter{Namespace: store.Namespace, Limit: limit}), first)
	}
	same(b, "another namespace", b.list(store.MachineFilter{Namespace: "other", Limit: 10}), []string{})
	same(b, "after what was never there", len(b.list(store.MachineFilter{Namespace: store.Namespace, AfterID: "zzz\x00", Limit: 10})), 0)
}

func listFilters(b *bench) {
	b.start("a", "b")
	other := newMachine("c")
	other.Definition = "invoice"
	must(b.CreateMachine(b.ctx, other))
	for _, c := range []struct {
		f    store.MachineFilter
		want []string
	}{
		{store.MachineFilter{Definition: "order"}, []string{"a", "b"}},
		{store.MachineFilter{Definition: "invoice"}, []string{"c"}},
		{store.MachineFilter{Definition: "none"}, nil},
		{store.MachineFilter{Definition: "order\x00"}, nil},
		{store.MachineFilter{Status: "\xff"}, nil},
		{store.MachineFilter{Status: "active"}, []string{"a", "b"}},
		{store.MachineFilter{Status: "starting"}, []string{"c"}},
		{store.MachineFilter{Definition: "order", Status: "starting"}, nil},
	} {
		c.f.Namespace = store.Namespace
		for _, limit := range []int{1, 10} {
			c.f.Limit = limit
			same(b, fmt.Sprintf("%+v", c.f), slices.Sorted(slices.Values(b.list(c.f))), c.want)
		}
	}
}

func historyPages(b *bench) {
	b.start("m", "n")
	for seq := int64(2); seq <= 6; seq++ {
		id := fmt.Sprintf("c:%d", 9-seq) // falls while seq rises
		b.accept("m", id)
		c := b.commit()
		b.take(c, "m", id, seq)
		b.apply(c)
	}
	same(b, "all", b.seqs("m"), []int64{1, 2, 3, 4, 5, 6})
	same(b, "the other machine's", b.seqs("n"), []int64{1})
	same(b, "none", b.seqs("none"), []int64{})
	seqs := []int64{}
	for _, e := range must(b.History(b.ctx, key("m"), 2, 3)) {
		seqs = append(seqs, e.Seq)
	}
	same(b, "three after 2", seqs, []int64{3, 4, 5})
}

func historyFields(b *bench) {
	b.start("m")
	full := b.entry("m", "t:1.1", 2, "applied")
	full.IsTimer, full.LatenessMs, full.Reason, full.Lane, full.DefinitionVersion = true, 12.625, []byte(`{"code":"x"}`), 1, 7
	full.Changes = []byte(`{"n":9007199254740993,"s":"\u0000"}`)
	bare := b.entry("m", "", 3, "suspended")
	bare.Event, bare.From, bare.To, bare.Actions, bare.Effects, bare.Changes = nil, nil, nil, nil, nil, nil
	punctual := b.entry("m", "t:1.2", 4, "ignored")
	punctual.IsTimer = true // late by 0 ms, which is not the same as not late
	c := b.commit()
	c.History = []store.HistoryEntry{bare, punctual, full} // not in order
	b.apply(c)
	same(b, "entries", must(b.History(b.ctx, key("m"), 1, 10)), []store.HistoryEntry{full, bare, punctual})
}

func outcomes(b *bench) {
	b.start("m", "n")
	c := b.commit()
	c.History = []store.HistoryEntry{
		b.entry("m", "", 2, "deferred"), b.entry("m", "c:1", 3, "dead"), b.entry("n", "c:2", 2, "ignored"),
	}
	b.apply(c)
	got := []string{}
	for _, e := range must(b.Outcomes(b.ctx, []store.EventRef{ref("m", "c:1"), ref("m", "c:2"), ref("n", "c:2"), ref("n", "c:1")})) {
		got = append(got, fmt.Sprintf("%s %s %d %s", e.Key.Machine, e.EventID, e.Seq, e.Outcome))
	}
	slices.Sort(got)
	same(b, "outcomes", got, []string{"m c:1 3 dead", "n c:2 2 ignored"})
	same(b, "of nothing", len(must(b.Outcomes(b.ctx, nil))), 0)
}
