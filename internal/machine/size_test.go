package machine_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/detent-run/detent/internal/machine"
)

// TestIdleSnapshotIsSmall holds what a machine at rest costs in memory, since workers keep the
// snapshots of their machines: all of it, with its identity. It does not run in parallel: it measures
// the heap.
func TestIdleSnapshotIsSmall(t *testing.T) {
	const machines, limit = 10_000, 1024
	for name, definition := range map[string]string{
		"with a timer": timed,
		"with an order": `
machine:
  id: order
  initial: open
  context:
    customer: c-10482
    currency: EUR
    items: [{sku: A-100, quantity: 2, price: 1250}, {sku: B-205, quantity: 1, price: 4999}, {sku: C-310, quantity: 5, price: 399}]
    total: 9494
    paid: 0
  states:
    open: {initial: unpaid, after: {1h: closed}, on: {E: {actions: {assign: {customer: "'c-20577'"}}}}, states: {unpaid: {}}}
    closed: {type: final}
`,
	} {
		d := compile(t, definition)
		r, err := d.Step(start(t, d), machine.NewEvent(parse(t, `{"type": "E"}`)), machine.Moment{})
		if err != nil {
			t.Fatal(err)
		}
		text := d.AppendSnapshot(nil, r.Snapshot)
		kept := make([]*machine.Snapshot, machines)
		before := heap()
		for i := range kept {
			s, err := d.DecodeSnapshot(&machine.Identity{ID: fmt.Sprintf("order-%d", i), Definition: "order", Version: 1}, text)
			if err != nil {
				t.Fatal(err)
			}
			kept[i] = &s
		}
		size := (heap() - before) / machines
		runtime.KeepAlive(kept)
		t.Logf("%s: %d bytes, from %d bytes of JSON", name, size, len(text))
		if size > limit {
			t.Errorf("%s: a machine keeps %d bytes, more than %d", name, size, limit)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
