// Package store keeps machines in Postgres.
package store

import (
	"context"
	"errors"
	"time"
)

// Errors that callers branch on. They are matched by errors.Is.
var (
	ErrNotFound  = errors.New("not found")
	ErrConflict  = errors.New("exists with other content")
	ErrFenced    = errors.New("fenced: the owner has lost its leases") // the owner must drop everything and join anew
	ErrDuplicate = errors.New("event was handled before")              // 23505 on history or snapshot: reload and decide again
	ErrTooNew    = errors.New("database was migrated by a newer version")
	ErrRetry     = errors.New("try again") // serialization failure, deadlock, lock timeout, connection lost before anything was sent
	ErrUnknown   = errors.New("outcome of the commit is unknown")
)

// LateEventsError is the commit check's answer: the inbox holds events of these machines that
// happened before the last one decided. Nothing was committed; read and decide again.
type LateEventsError struct{ Keys []Key }

func (e *LateEventsError) Error() string { return "events came in late" }

// DB is a pool of connections to one database.
type DB struct{ _ int }

// Options of Open.
type Options struct {
	ApplicationName string // shown in pg_stat_activity; an owner's is OwnerName(id)
	MaxConns        int32
}

// Open connects. The caller closes.
func Open(ctx context.Context, url string, o Options) (*DB, error) { panic("to be written") }

// Close waits for running statements and closes all connections.
func (db *DB) Close() { panic("to be written") }

// Migrate brings the database to the version that this program knows. Concurrent calls migrate once.
// It returns ErrTooNew for a database that a newer program migrated.
func Migrate(ctx context.Context, url string) error { panic("to be written") }

// Ping reports whether the database answers, and is migrated to this program's version.
func (db *DB) Ping(ctx context.Context) error { panic("to be written") }

// Key names a machine.
type Key struct{ Namespace, Machine string }

// Namespace that everything lies in until there are more.
const Namespace = "default"

// Bucket returns the bucket of the machine's family: the first byte of sha256(namespace, 0, root id),
// where the root id is what stands before the first "/". It is the same in SQL (detent.bucket_of) for ever.
func (k Key) Bucket() int16 { panic("to be written") }

// Buckets is how many buckets there are.
const Buckets = 256

// EventRef names an event of a machine.
type EventRef struct {
	Key     Key
	EventID string
}

// ---- definitions

// Definition is one immutable version of a definition.
type Definition struct {
	Namespace, Name string
	Version         int
	Hash            string // hex sha256 of Document
	Document        []byte // canonical JSON
	Warnings        []byte // JSON array
	CreatedAt       time.Time
}

// RegisterDefinition stores a version, or finds the one of the same hash: created tells which.
func (db *DB) RegisterDefinition(ctx context.Context, d Definition) (stored Definition, created bool, err error) {
	panic("to be written")
}

// Definition returns one version; version 0 is the latest. ErrNotFound.
func (db *DB) Definition(ctx context.Context, namespace, name string, version int) (Definition, error) {
	panic("to be written")
}

// DefinitionVersions returns the versions of one definition, newest first, without their documents, at most limit, below the given version (0: from the newest).
func (db *DB) DefinitionVersions(ctx context.Context, namespace, name string, below, limit int) ([]Definition, error) {
	panic("to be written")
}

// Definitions returns the latest version of each definition after the given name, in the order of names, without documents.
func (db *DB) Definitions(ctx context.Context, namespace, after string, limit int) ([]Definition, error) {
	panic("to be written")
}

// ---- the door

// NewMachine is a machine to create together with its first event.
type NewMachine struct {
	Key         Key
	Definition  string
	Version     int
	Parent      string // "" when it has none
	Labels      []byte // JSON object of texts
	Fingerprint []byte // of the request: the same id with another fingerprint is a conflict
	EventID     string
	Event       []byte // {"type":"xstate.init","input":...}
	CreatedBy   string
}

// CreateMachine stores the machine and its first event. The same id and fingerprint again changes
// nothing and answers created false; with another fingerprint it returns ErrConflict.
func (db *DB) CreateMachine(ctx context.Context, m NewMachine) (created bool, err error) {
	panic("to be written")
}

// Incoming is an event to accept.
type Incoming struct {
	EventRef
	Event []byte // the event object as canonical JSON
}

// Acceptance is what became of an incoming event.
type Acceptance struct {
	Outcome    AcceptOutcome
	AcceptedAt time.Time // its event time; of a duplicate, that of the first
}

// AcceptOutcome tells acceptances apart.
type AcceptOutcome uint8

const (
	Accepted  AcceptOutcome = iota
	Duplicate               // the same id with the same event, waiting or handled
	Conflict                // the same id with another event
	NoMachine
)

// Accept puts events into the inbox, in one transaction, stamped with the database's clock.
func (db *DB) Accept(ctx context.Context, events []Incoming) ([]Acceptance, error) {
	panic("to be written")
}

// ---- people's reads

// Machine is a machine with its newest snapshot.
type Machine struct {
	Key        Key
	Definition string
	Version    int
	Parent     string
	Labels     []byte
	Seq        int64  // 0 before the first macrostep
	Status     string // starting, active, done, error, stopped, suspended
	Snapshot   []byte // the core's bytes; nil before the first macrostep
	Reason     []byte // JSON object: why it is suspended; nil otherwise
	Deferred   bool   // parked events wait for another configuration (LoadMachines only)
	Owner      string // who holds its bucket, "" when nobody does (FindMachine and ListMachines only)
	CreatedAt  time.Time
	UpdatedAt  time.Time // of the newest snapshot, or createdAt
}

// FindMachine returns one machine. ErrNotFound.
func (db *DB) FindMachine(ctx context.Context, key Key) (Machine, error) { panic("to be written") }

// MachineFilter selects machines to list, in the order of (bucket, id).
type MachineFilter struct {
	Namespace  string
	Definition string // "" is any
	Status     string // "" is any
	AfterID    string // "" is from the beginning: the last id of the page before
	Limit      int
}

// ListMachines returns a page of machines.
func (db *DB) ListMachines(ctx context.Context, f MachineFilter) ([]Machine, error) {
	panic("to be written")
}

// HistoryEntry is one macrostep or decision.
type HistoryEntry struct {
	Key               Key
	Seq               int64
	EventID           string // "" (NULL) unless this decision finally consumed the event
	Outcome           string // applied, ignored, deferred, dead, suspended, operator
	Event             []byte
	EventTime         time.Time // as recorded at acceptance, or the deadline
	EffectiveTime     time.Time
	ProcessedAt       time.Time // the database's clock as read by the lane: what Step saw as processing time
	LatenessMs        float64   // processing time - deadline; only of timers
	IsTimer           bool      // lateness_ms is NULL otherwise
	DefinitionVersion int
	From, To          []byte // state values; nil (NULL) before the first macrostep
	Actions           []byte // JSON array
	Effects           []byte // JSON array
	Changes           []byte // JSON object: the context keys that changed, with their new values
	Reason            []byte // JSON object, nil when there is none: why dead, suspended, deferred
	Owner             int64
	Lane              int
}

// History returns entries after a seq, in order.
func (db *DB) History(ctx context.Context, key Key, afterSeq int64, limit int) ([]HistoryEntry, error) {
	panic("to be written")
}

// Outcomes returns the final entries of those of the events that have one.
func (db *DB) Outcomes(ctx context.Context, refs []EventRef) ([]HistoryEntry, error) {
	panic("to be written")
}
