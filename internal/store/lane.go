package store

import (
	"context"
	"time"

	"github.com/detent-run/detent/internal/clock"
)

// InboxRow is an event that waits.
type InboxRow struct {
	EventRef
	EventTime time.Time
	No        int  // ordinal within the accepting transaction
	Seen      bool // history has its final entry already: it is only to be taken out
	Event     []byte
}

// Page is what a claim found.
type Page struct {
	Events []InboxRow // in the order of (event time, no)
	More   bool       // the limit cut it off
	Clock  clock.Sample
	Now    time.Time // the database's clock, read before the inbox: every event acknowledged before it is in Events, unless More
}

// Claim reads the waiting events of the buckets, not the parked ones, oldest first. It changes nothing.
func (db *DB) Claim(ctx context.Context, buckets []int16, limit int) (Page, error) {
	panic("to be written")
}

// LoadMachines returns machines with their newest snapshots. Keys that name none are left out.
func (db *DB) LoadMachines(ctx context.Context, keys []Key) ([]Machine, error) {
	panic("to be written")
}

// TimerRow is a deadline to come.
type TimerRow struct {
	Key      Key
	Deadline time.Time
	No       int64
	EventID  string // t:<seq>.<no>
	Type     string // of its event
}

// Check bounds the commit check for one machine: no row that the commit does not consume may have
// (event time, no) <= (Time, No).
type Check struct {
	Key  Key
	Time time.Time
	No   int // -1 after a timer: ties go to the timer
}

// SnapshotRow is a machine after a macrostep; its predecessor is deleted in the same transaction.
type SnapshotRow struct {
	Key      Key
	Seq      int64
	PrevSeq  int64 // 0 when there was none
	Status   string
	Snapshot []byte // nil when the machine has not started
	Reason   []byte // nil unless suspended
}

// DeadLetter is an event that could not be handled.
type DeadLetter struct {
	EventRef
	Seq       int64 // of its entry in history
	EventTime time.Time
	Event     []byte
	Reason    []byte // JSON object {code, message, pointer}
}

// Commit is everything that a lane's batch changes, in one transaction.
type Commit struct {
	Owner         int64
	Lane          int
	LastDeadline  time.Time // latest deadline that fired, zero when none did: SQL refuses to be early
	Checks        []Check
	Consumed      []EventRef // inbox rows to delete: each must be there
	Deferred      []EventRef // inbox rows to park one by one
	Parked        []Key      // machines whose waiting events are all parked: they were suspended
	Unparked      []Key      // machines whose parked events wait again
	TimersDeleted []TimerRow // Key, Deadline, No
	TimersAdded   []TimerRow
	Snapshots     []SnapshotRow
	History       []HistoryEntry
	DeadLetters   []DeadLetter
	Messages      []Message
}

// Message is an event from one machine to another: an inbox row that the commit adds.
type Message struct {
	EventRef
	EventTime time.Time
	No        int
	Event     []byte
}

// Apply commits a batch: fence, clock, commit check, then the changes. Its errors are ErrFenced,
// *LateEventsError, ErrDuplicate, ErrRetry, ErrUnknown; any other means that the batch itself is bad.
// The order: fence and never-early assertion first, then the commit check as a statement of its own
// (so that its snapshot is taken after the clock was looked at), deletions, insertions sorted by key.
func (db *DB) Apply(ctx context.Context, c *Commit) (clock.Sample, error) { panic("to be written") }

// DueTimers returns the timers of the buckets with a deadline up to the given one, earliest first,
// and a clock reading. More reports that the limit cut it off. Until zero only reads the clock.
func (db *DB) DueTimers(ctx context.Context, buckets []int16, until time.Time, limit int) (rows []TimerRow, more bool, at clock.Sample, err error) {
	panic("to be written")
}

// PendingTimers returns a page of one machine's timers (for people), in the order of deadline.
func (db *DB) PendingTimers(ctx context.Context, key Key, limit int) ([]TimerRow, error) {
	panic("to be written")
}

// Overdue counts the timers of all buckets whose deadline passed longer ago than by, up to a bound,
// and the buckets that nobody holds.
func (db *DB) Overdue(ctx context.Context, by time.Duration) (timers, unownedBuckets int, err error) {
	panic("to be written")
}
