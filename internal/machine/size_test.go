package machine_test

import (
	"runtime"
	"testing"

	"github.com/detent-run/detent/internal/machine"
)

// TestIdleSnapshotIsSmall holds what a machine at rest costs in memory, since workers keep the
// snapshots of their machines. It does not run in parallel: it measures the heap.
func TestIdleSnapshotIsSmall(t *testing.T) {
	const machines, limit = 2000, 1024
	d := compile(t, timed)
	s := start(t, d)
	r, err := d.Step(s, machine.NewEvent(parse(t, `{"type": "E"}`)), machine.Moment{})
	if err != nil {
		t.Fatal(err)
	}
	text := d.AppendSnapshot(nil, r.Snapshot)
	kept := make([]machine.Snapshot, machines)
	before := heap()
	for i := range kept {
		if kept[i], err = d.DecodeSnapshot(nil, text); err != nil {
			t.Fatal(err)
		}
	}
	size := (heap() - before) / machines
	runtime.KeepAlive(kept)
	t.Logf("%d bytes beside the snapshot itself, from %d bytes of JSON", size, len(text))
	if size > limit {
		t.Errorf("a snapshot read from JSON keeps %d bytes, more than %d", size, limit)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
