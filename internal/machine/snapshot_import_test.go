package machine_test

import (
	"errors"
	"testing"

	"github.com/detent-run/detent/internal/machine"
)

// FuzzImportSnapshot holds importing to be safe on any text, and what it accepts to be legal: it can be
// written, read again, and stepped from.
func FuzzImportSnapshot(f *testing.F) {
	f.Add([]byte(`{"status": "active", "value": {"work": {"busy": "one"}, "side": "on"}, "historyValue": {"m.work.hist": [{"id": "m.work.busy.two"}]},
		"context": {"n": 1, "log": []}, "children": {"job": {"snapshot": {"status": "active"}, "src": "job", "syncSnapshot": false}}}`))
	f.Add([]byte(`{"status": "error", "error": {}, "value": {"work": "over", "side": "off"}, "historyValue": {}, "context": {}, "children": {}}`))
	f.Add([]byte(`{"status": "active", "value": {"work": {"busy": {}}}, "historyValue": {"m.work.hist": []}, "context": {}, "children": {}}`))
	f.Add([]byte(`{"value": {"work": [{}]}, "children": [1], "historyValue": [2]}`))
	x := newTriplets(f, menagerie[6])
	d := x.d
	self := &machine.Identity{ID: "m-1"}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := d.ImportSnapshot(self, text, machine.Moment{Event: 1000, Processing: 1000})
		if err != nil {
			if e := (*machine.SnapshotError)(nil); !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		x.live(t, self, s)
	})
}
