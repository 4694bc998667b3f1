package store

import "time"

// The tables whose counts Apply asserts, as an error names them.
const (
	inboxTable    = "inbox"
	snapshotTable = "snapshot"
)

// Check bounds the commit check for one machine: no row that the commit does not consume may have
// (event time, no) < (Time, No).
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

// Message is an event from one machine to another: an inbox row that the commit adds.
type Message struct {
	EventRef
	EventTime time.Time
	No        int
	Event     []byte
}

// Commit is everything that a lane's batch changes, in one transaction.
type Commit struct {
	Owner         int64
	Lane          int
	LastDeadline  time.Time // latest deadline that fired, zero when none did: SQL refuses to be early
	Checks        []Check
	Consumed      []EventRef // inbox rows to delete: each must be there
	Deferred      []EventRef // inbox rows to park one by one: each must be there
	Parked        []Key      // machines that were suspended: their waiting events are parked, their timer rows taken out
	Unparked      []Key      // machines whose parked events wait again
	TimersDeleted []TimerRow // Key, Deadline, No: each must be there
	TimersAdded   []TimerRow
	Snapshots     []SnapshotRow
	History       []HistoryEntry
	DeadLetters   []DeadLetter
	Messages      []Message
}
