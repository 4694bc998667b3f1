package store

import "context"

// OwnerName is the application_name of an owner's connections: by it a takeover ends them.
func OwnerName(id int64) string { panic("to be written") }

// OwnerInfo describes a worker process.
type OwnerInfo struct {
	Host  string
	PID   int
	Lanes int
}

// Join makes a new owner, whose id is never used again, with its fence rows (one for each lane).
func (db *DB) Join(ctx context.Context, o OwnerInfo) (id int64, err error) { panic("to be written") }

// Presence is a connection that holds the owner's session advisory lock: others see at once when it is gone.
type Presence struct{ _ int }

// HoldPresence takes the lock on a connection of its own. The caller keeps a reference and closes it.
func (db *DB) HoldPresence(ctx context.Context, id int64) (*Presence, error) { panic("to be written") }

// Check reports whether the connection still lives.
func (p *Presence) Check(ctx context.Context) error { panic("to be written") }

// Close gives the lock up.
func (p *Presence) Close(ctx context.Context) error { panic("to be written") }

// Peer is an owner as others see it.
type Peer struct {
	ID        int64
	Heartbeat int64 // counts up while it lives
	Present   bool  // its advisory lock is held
	HadLock   bool  // it held the lock once (so that its absence means death)
	Held      int   // buckets
}

// Leases is the state of the world after a heartbeat.
type Leases struct {
	Held    []int16 // buckets of this owner
	Unowned []int16
	Peers   []Peer // all owners, this one included
}

// Beat counts this owner's heartbeat up and returns the world. ErrFenced when the owner is no more.
func (db *DB) Beat(ctx context.Context, id int64) (Leases, error) { panic("to be written") }

// Lease takes up to n unowned buckets and returns those it got.
func (db *DB) Lease(ctx context.Context, id int64, n int) ([]int16, error) { panic("to be written") }

// Release gives buckets up. The caller's lanes must have stopped touching them.
func (db *DB) Release(ctx context.Context, id int64, buckets []int16) error { panic("to be written") }

// TakeOver ends a dead owner: its sessions, its fence (waiting for commits under way), its leases. It
// reports false, and changes nothing, when the owner's heartbeat has moved since it was seen.
func (db *DB) TakeOver(ctx context.Context, dead Peer) (bool, error) { panic("to be written") }

// Leave ends this owner in one transaction.
func (db *DB) Leave(ctx context.Context, id int64) error { panic("to be written") }
