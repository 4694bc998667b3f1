package engine

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/value"
	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/testdb"
)

// rig is an engine over a database of its own, and lanes that the test advances by hand.
type rig struct {
	t      *testing.T
	url    string
	db     *store.DB
	engine *Engine
}

func newRig(t *testing.T) *rig {
	t.Helper()
	url := testdb.New(t, store.Migrate).URL
	db, err := store.Open(t.Context(), url, store.Options{ApplicationName: "rig", MaxConns: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	log := slog.New(slog.DiscardHandler)
	return &rig{t: t, url: url, db: db, engine: New(db, NewDefinitions(db), Options{Log: log})}
}

// lane joins as a new owner and takes all free buckets. s is the store that the lane sees; nil is the rig's.
func (r *rig) lane(s laneStore) (*Lane, int64) {
	r.t.Helper()
	if s == nil {
		s = r.db
	}
	id, err := r.db.Join(r.t.Context(), store.OwnerInfo{Host: "test", PID: 1, Lanes: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	held, err := r.db.Lease(r.t.Context(), id, store.Buckets)
	if err != nil {
		r.t.Fatal(err)
	}
	l := NewLane(s, NewDefinitions(r.db), LaneOptions{Owner: id, Clock: &clock.Clock{}, Log: slog.New(slog.DiscardHandler)})
	l.Hold(held)
	return l, id
}

func (r *rig) define(name, document string) {
	r.t.Helper()
	if _, err := r.engine.Register(r.t.Context(), name, []byte(document), false); err != nil {
		r.t.Fatalf("register: %v", err)
	}
}

func (r *rig) create(id, definition string) {
	r.t.Helper()
	body := fmt.Sprintf(`{"id":%q,"definition":%q}`, id, definition)
	if _, _, err := r.engine.Create(r.t.Context(), CreateRequest{Body: []byte(body)}); err != nil {
		r.t.Fatalf("create: %v", err)
	}
}

func (r *rig) send(id, eventID, event string) Accepted {
	r.t.Helper()
	a, err := r.engine.Send(r.t.Context(), id, eventID, []byte(event))
	if err != nil {
		r.t.Fatalf("send: %v", err)
	}
	return a
}

// drain advances until nothing is left to do.
func (r *rig) drain(l *Lane) {
	r.t.Helper()
	for range 10_000 {
		n, err := l.AdvanceOnce(r.t.Context())
		if err != nil {
			r.t.Fatalf("advance: %v", err)
		}
		if n == 0 {
			return
		}
	}
	r.t.Fatal("the lane never comes to rest")
}

func (r *rig) view(id string) MachineView {
	r.t.Helper()
	v, err := r.engine.Machine(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

func (r *rig) expect(id, status, stateValue string) {
	r.t.Helper()
	if v := r.view(id); v.Status != status || string(v.Value) != stateValue {
		r.t.Fatalf("%s is %s in %s, want %s in %s; suspension %s", id, v.Status, v.Value, status, stateValue, v.Suspension)
	}
}

func (r *rig) history(id string) []store.HistoryEntry {
	r.t.Helper()
	var all []store.HistoryEntry
	for {
		page, err := r.db.History(r.t.Context(), key(id), int64(len(all)), 1_000_000)
		if err != nil {
			r.t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// checkFold holds guarantee 3 to a machine: its history has no gap, and folded through the pure core
// it gives the stored snapshot byte for byte.
func (r *rig) checkFold(id string) {
	r.t.Helper()
	row, err := r.db.FindMachine(r.t.Context(), key(id))
	if err != nil {
		r.t.Fatal(err)
	}
	def, err := r.engine.defs.find(context.Background(), store.Namespace, row.Definition, row.Version)
	if err != nil {
		r.t.Fatal(err)
	}
	self := &machine.Identity{ID: id, Definition: row.Definition, Version: row.Version}
	var s machine.Snapshot
	var now time.Time
	for i, e := range r.history(id) {
		if e.Seq != int64(i)+1 {
			r.t.Fatalf("%s: entry %d has seq %d", id, i, e.Seq)
		}
		if e.EffectiveTime.Before(now) {
			r.t.Fatalf("%s: time goes back at seq %d", id, e.Seq)
		}
		now = e.EffectiveTime
		s = refold(r.t, def, self, s, e)
	}
	if got := string(def.AppendSnapshot(nil, s)); got != string(row.Snapshot) {
		r.t.Fatalf("%s: history folds to\n%s\nbut the snapshot is\n%s", id, got, row.Snapshot)
	}
}

func refold(t *testing.T, def *machine.Definition, self *machine.Identity, s machine.Snapshot, e store.HistoryEntry) machine.Snapshot {
	t.Helper()
	if e.Outcome != outcomeApplied && e.Outcome != outcomeIgnored {
		t.Fatalf("this fold does not know outcome %s", e.Outcome)
	}
	data, err := value.Parse(e.Event)
	if err != nil {
		t.Fatal(err)
	}
	ev := machine.NewEvent(data)
	at := machine.Moment{Event: timeOf(e.EventTime), Processing: timeOf(e.ProcessedAt)}
	if e.EventID == startEventID {
		res, err := def.Start(self, data.Get("input"), at)
		if err != nil {
			t.Fatal(err)
		}
		return res.Snapshot
	}
	if e.IsTimer {
		ev.Origin = machine.FromTimer
		_, no, _ := strings.Cut(e.EventID, ".")
		if ev.Timer, err = strconv.ParseInt(no, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	res, err := def.Step(s, ev, at)
	if err != nil {
		t.Fatal(err)
	}
	res.Snapshot.Seq = e.Seq
	return res.Snapshot
}
