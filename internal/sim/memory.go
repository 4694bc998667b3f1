package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/detent-run/detent/internal/clock"
	"github.com/detent-run/detent/internal/store"
)

// Memory is the store as a lane sees it, in memory and for one goroutine.
type Memory struct {
	definitions map[string]store.Definition
	machines    map[store.Key]*stored
	owners      map[int64]bool
	lastOwner   int64

	// Fault, when it is set, is asked before each Apply whether and how it fails.
	Fault func() Fault
}

// Fault is what happens to a commit.
type Fault uint8

// The faults.
const (
	NoFault       Fault = iota
	RefusedRetry        // nothing is applied, and the lane is told to try again
	LostUnapplied       // nothing is applied, and the lane does not know
	LostApplied         // it is applied, and the lane does not know
)

// stored is everything that the database has about a machine.
type stored struct {
	row     store.Machine
	inbox   []waiting
	timers  []store.TimerRow
	history []store.HistoryEntry
	applied []time.Time // when each entry of history was committed
}

type waiting struct {
	store.InboxRow
	parked bool
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{definitions: map[string]store.Definition{}, machines: map[store.Key]*stored{}, owners: map[int64]bool{}}
}

// Define registers the only version of a definition.
func (m *Memory) Define(name string, document []byte) {
	m.definitions[name] = store.Definition{Namespace: store.Namespace, Name: name, Version: 1, Document: document}
}

// Definition returns a definition. ErrNotFound.
func (m *Memory) Definition(_ context.Context, _, name string, _ int) (store.Definition, error) {
	d, ok := m.definitions[name]
	if !ok {
		return d, store.ErrNotFound
	}
	return d, nil
}

// Create makes a machine with its first event.
func (m *Memory) Create(key store.Key, definition string) {
	now := time.Now()
	m.machines[key] = &stored{row: store.Machine{Key: key, Definition: definition, Version: 1, Status: "starting", CreatedAt: now}}
	m.Commit(store.InboxRow{
		EventRef: store.EventRef{Key: key, EventID: "i:1"}, EventTime: now, Event: []byte(`{"type":"xstate.init"}`),
	})
}

// Commit makes an event visible. Its time was stamped before.
func (m *Memory) Commit(row store.InboxRow) {
	s := m.machines[row.Key]
	s.inbox = append(s.inbox, waiting{InboxRow: row})
	slices.SortStableFunc(s.inbox, func(a, b waiting) int { return compareRows(a.InboxRow, b.InboxRow) })
}

func compareRows(a, b store.InboxRow) int {
	return cmp.Or(a.EventTime.Compare(b.EventTime), cmp.Compare(a.No, b.No), cmp.Compare(a.Key.Machine, b.Key.Machine))
}

// Join makes a new owner; End takes its right to commit away.
func (m *Memory) Join() int64 {
	m.lastOwner++
	m.owners[m.lastOwner] = true
	return m.lastOwner
}

// End fences an owner.
func (m *Memory) End(owner int64) { delete(m.owners, owner) }

func (m *Memory) reading() clock.Sample {
	now := time.Now()
	return clock.Sample{Database: now, Sent: now, Received: now}
}

// Claim is store.DB.Claim.
func (m *Memory) Claim(_ context.Context, buckets []int16, limit int, except ...store.Key) (store.Page, error) {
	page := store.Page{Clock: m.reading(), Now: time.Now()}
	for _, key := range m.keys() {
		if slices.Contains(buckets, key.Bucket()) && !slices.Contains(except, key) {
			page.Events = append(page.Events, m.machines[key].unparked()...)
		}
	}
	slices.SortStableFunc(page.Events, compareRows)
	if len(page.Events) > limit {
		page.Events, page.More = page.Events[:limit], true
	}
	return page, nil
}

// ClaimMachines is store.DB.ClaimMachines.
func (m *Memory) ClaimMachines(_ context.Context, keys []store.Key, limit int) (store.Page, error) {
	page := store.Page{Clock: m.reading(), Now: time.Now()}
	for _, key := range keys {
		rows := m.machines[key].unparked()
		page.Events = append(page.Events, rows[:min(limit, len(rows))]...)
	}
	slices.SortStableFunc(page.Events, compareRows)
	return page, nil
}

func (m *Memory) keys() []store.Key {
	keys := make([]store.Key, 0, len(m.machines))
	for key := range m.machines {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b store.Key) int { return cmp.Compare(a.Machine, b.Machine) })
	return keys
}

func (s *stored) unparked() []store.InboxRow {
	var rows []store.InboxRow
	for _, w := range s.inbox {
		if !w.parked {
			row := w.InboxRow
			row.Seen = s.handled(row.EventID)
			rows = append(rows, row)
		}
	}
	return rows
}

func (s *stored) handled(eventID string) bool {
	return slices.ContainsFunc(s.history, func(e store.HistoryEntry) bool { return e.EventID == eventID })
}

// LoadMachines is store.DB.LoadMachines.
func (m *Memory) LoadMachines(_ context.Context, keys []store.Key) ([]store.Machine, error) {
	var rows []store.Machine
	for _, key := range keys {
		if s, ok := m.machines[key]; ok {
			row := s.row
			row.Deferred = slices.ContainsFunc(s.inbox, func(w waiting) bool { return w.parked })
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// DueTimers is store.DB.DueTimers.
func (m *Memory) DueTimers(_ context.Context, buckets []int16, until time.Time, limit int) ([]store.TimerRow, bool, clock.Sample, error) {
	var due []store.TimerRow
	for _, key := range m.keys() {
		if !slices.Contains(buckets, key.Bucket()) {
			continue
		}
		for _, t := range m.machines[key].timers {
			if !t.Deadline.After(until) {
				due = append(due, t)
			}
		}
	}
	slices.SortStableFunc(due, func(a, b store.TimerRow) int { return a.Deadline.Compare(b.Deadline) })
	more := len(due) > limit
	return due[:min(limit, len(due))], more, m.reading(), nil
}

// Apply is store.DB.Apply: all of it or nothing.
func (m *Memory) Apply(_ context.Context, c *store.Commit) (clock.Sample, error) {
	fault := NoFault
	if m.Fault != nil {
		fault = m.Fault()
	}
	switch fault {
	case RefusedRetry:
		return clock.Sample{}, store.ErrRetry
	case LostUnapplied:
		return clock.Sample{}, store.ErrUnknown
	}
	if err := m.admit(c); err != nil {
		return clock.Sample{}, err
	}
	m.consume(c)
	m.write(c)
	if fault == LostApplied {
		return clock.Sample{}, store.ErrUnknown
	}
	return m.reading(), nil
}

// admit makes the checks that come before any change.
func (m *Memory) admit(c *store.Commit) error {
	if !m.owners[c.Owner] {
		return store.ErrFenced
	}
	if c.LastDeadline.After(time.Now()) {
		return fmt.Errorf("%w: %w", store.ErrRetry, store.ErrEarly)
	}
	var late []store.Key
	for _, check := range c.Checks {
		bound := store.InboxRow{EventRef: store.EventRef{Key: check.Key}, EventTime: check.Time, No: check.No}
		if slices.ContainsFunc(m.machines[check.Key].inbox, func(w waiting) bool {
			taken := slices.Contains(c.Consumed, w.EventRef) || slices.Contains(c.Deferred, w.EventRef)
			return !w.parked && !taken && compareRows(w.InboxRow, bound) < 0
		}) {
			late = append(late, check.Key)
		}
	}
	if late != nil {
		return &store.LateEventsError{Keys: late}
	}
	for _, e := range c.History {
		if e.EventID != "" && m.machines[e.Key].handled(e.EventID) {
			return store.ErrDuplicate
		}
	}
	for _, row := range c.Snapshots {
		if m.machines[row.Key].row.Seq != row.PrevSeq {
			return store.ErrDuplicate
		}
	}
	return nil
}

// consume takes rows away, and holds the batch to what must be there: a count that is off is a fault of
// the lane, and nothing that it could recover from.
func (m *Memory) consume(c *store.Commit) {
	for _, ref := range c.Consumed {
		s := m.machines[ref.Key]
		before := len(s.inbox)
		s.inbox = slices.DeleteFunc(s.inbox, func(w waiting) bool { return w.EventRef == ref })
		mustBe(before-1, len(s.inbox), "events", ref)
	}
	for _, t := range c.TimersDeleted {
		s := m.machines[t.Key]
		before := len(s.timers)
		s.timers = slices.DeleteFunc(s.timers, func(x store.TimerRow) bool { return x.No == t.No && x.Deadline.Equal(t.Deadline) })
		mustBe(before-1, len(s.timers), "timers", t)
	}
}

func mustBe(want, got int, what string, about any) {
	if want != got {
		panic(fmt.Sprintf("sim: %d %s, want %d: %+v", got, what, want, about))
	}
}

// write puts the batch's rows in.
func (m *Memory) write(c *store.Commit) {
	for _, ref := range c.Deferred {
		m.park(ref.Key, true, func(w waiting) bool { return w.EventRef == ref })
	}
	for _, key := range c.Parked {
		m.park(key, true, func(waiting) bool { return true })
		m.machines[key].timers = nil
	}
	for _, key := range c.Unparked {
		m.park(key, false, func(waiting) bool { return true })
	}
	for _, t := range c.TimersAdded {
		s := m.machines[t.Key]
		s.timers = append(s.timers, t)
	}
	for _, row := range c.Snapshots {
		s := m.machines[row.Key]
		s.row.Seq, s.row.Status, s.row.Snapshot, s.row.Reason = row.Seq, row.Status, row.Snapshot, row.Reason
	}
	for _, e := range c.History {
		s := m.machines[e.Key]
		s.history = append(s.history, e)
		s.applied = append(s.applied, time.Now())
	}
}

func (m *Memory) park(key store.Key, parked bool, which func(waiting) bool) {
	inbox := m.machines[key].inbox
	for i := range inbox {
		if which(inbox[i]) {
			inbox[i].parked = parked
		}
	}
}
