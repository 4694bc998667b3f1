package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// OwnerName is the application_name of an owner's connections: by it a takeover ends them.
func OwnerName(id int64) string { return fmt.Sprintf("detent/%d", id) }

// OwnerInfo describes a worker process.
type OwnerInfo struct {
	Host  string
	PID   int
	Lanes int
}

const joinSQL = `
WITH joined AS (
    INSERT INTO detent.owner (host, pid, lanes) VALUES (@host, @pid, @lanes) RETURNING owner_id
), fences AS (
    INSERT INTO detent.owner_fence (owner_id, lane)
    SELECT j.owner_id, n FROM joined j CROSS JOIN generate_series(0, @lanes - 1) AS n
)
SELECT owner_id FROM joined`

// Join makes a new owner, whose id is never used again, with its fence rows (one for each lane).
func (db *DB) Join(ctx context.Context, o OwnerInfo) (id int64, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	err = db.pool.QueryRow(ctx, joinSQL, pgx.StrictNamedArgs{"host": o.Host, "pid": o.PID, "lanes": o.Lanes}).Scan(&id)
	return id, writeFault("join", err)
}

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

const beatSQL = `
UPDATE detent.owner SET heartbeat = heartbeat + 1, heartbeat_at = clock_timestamp() WHERE owner_id = @id`

// peersSQL finds out by pg_locks who holds the presence lock: taking it to try would disturb its owner.
const peersSQL = `
SELECT
    o.owner_id, o.heartbeat, o.had_lock,
    EXISTS (
        SELECT FROM pg_catalog.pg_locks l
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
            AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
            AND l.classid = @class::bigint::oid AND l.objid = (o.owner_id & 4294967295)::oid
    ),
    (SELECT count(*) FROM detent.bucket b WHERE b.owner_id = o.owner_id)
FROM detent.owner o
ORDER BY o.owner_id`

const bucketsSQL = `
SELECT bucket, owner_id IS NULL FROM detent.bucket WHERE owner_id = @id OR owner_id IS NULL ORDER BY bucket`

// Beat counts this owner's heartbeat up and returns the world. ErrFenced when the owner is no more.
func (db *DB) Beat(ctx context.Context, id int64) (Leases, error) {
	const op = "beat"
	ctx, cancel := bounded(ctx)
	defer cancel()
	batch := &pgx.Batch{}
	batch.Queue(beatSQL, pgx.StrictNamedArgs{"id": id})
	batch.Queue(peersSQL, pgx.StrictNamedArgs{"class": int64(presenceClass)})
	batch.Queue(bucketsSQL, pgx.StrictNamedArgs{"id": id})
	results := db.pool.SendBatch(ctx, batch)
	defer results.Close()
	tag, err := results.Exec()
	if err != nil {
		return Leases{}, writeFault(op, err)
	}
	if tag.RowsAffected() == 0 {
		return Leases{}, fmt.Errorf("%s: owner %d: %w", op, id, ErrFenced)
	}
	var l Leases
	rows, err := results.Query()
	if err != nil {
		return Leases{}, writeFault(op, err)
	}
	l.Peers, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Peer, error) {
		var p Peer
		err := row.Scan(&p.ID, &p.Heartbeat, &p.HadLock, &p.Present, &p.Held)
		return p, err
	})
	if err != nil {
		return Leases{}, writeFault(op, err)
	}
	if rows, err = results.Query(); err != nil {
		return Leases{}, writeFault(op, err)
	}
	var bucket int16
	var unowned bool
	_, err = pgx.ForEachRow(rows, []any{&bucket, &unowned}, func() error {
		if unowned {
			l.Unowned = append(l.Unowned, bucket)
		} else {
			l.Held = append(l.Held, bucket)
		}
		return nil
	})
	return l, writeFault(op, err)
}

// leaseSQL takes free buckets. The owner's row is locked first, so that a takeover from this owner
// either comes before (and there is no row to lock) or sees the buckets. Buckets that another owner is
// about to take are skipped.
const leaseSQL = `
WITH self AS MATERIALIZED (
    SELECT owner_id FROM detent.owner WHERE owner_id = @id FOR NO KEY UPDATE
), free AS MATERIALIZED (
    SELECT b.bucket FROM detent.bucket b
    WHERE b.owner_id IS NULL AND EXISTS (SELECT FROM self)
    ORDER BY b.bucket
    LIMIT @n
    FOR UPDATE SKIP LOCKED
)
UPDATE detent.bucket b SET owner_id = @id FROM free WHERE b.bucket = free.bucket RETURNING b.bucket`

// Lease takes up to n unowned buckets and returns those it got.
func (db *DB) Lease(ctx context.Context, id int64, n int) ([]int16, error) {
	const op = "lease"
	ctx, cancel := bounded(ctx)
	defer cancel()
	rows, err := db.pool.Query(ctx, leaseSQL, pgx.StrictNamedArgs{"id": id, "n": n})
	if err != nil {
		return nil, writeFault(op, err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int16])
	return got, writeFault(op, err)
}

const releaseSQL = `UPDATE detent.bucket SET owner_id = NULL WHERE owner_id = @id AND bucket = ANY (@buckets::smallint[])`

// Release gives buckets up. The caller's lanes must have stopped touching them.
func (db *DB) Release(ctx context.Context, id int64, buckets []int16) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	_, err := db.pool.Exec(ctx, releaseSQL, pgx.StrictNamedArgs{"id": id, "buckets": buckets})
	return writeFault("release", err)
}

// removeOwnerSQL ends an owner, unless its heartbeat has moved on from the one seen.
const removeOwnerSQL = `DELETE FROM detent.owner WHERE owner_id = @id AND (heartbeat = @heartbeat OR @heartbeat < 0)`

// removeFenceSQL waits for the commits under way, which hold their rows, and stops all later ones.
const removeFenceSQL = `DELETE FROM detent.owner_fence WHERE owner_id = @id`

const releaseAllSQL = `UPDATE detent.bucket SET owner_id = NULL WHERE owner_id = @id`

// end removes the owner in one transaction. heartbeat -1 stands for any. It reports false, and changes
// nothing, when there is no such owner with that heartbeat.
func (db *DB) end(ctx context.Context, id, heartbeat int64) (bool, error) {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, removeOwnerSQL, pgx.StrictNamedArgs{"id": id, "heartbeat": heartbeat})
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		if _, err := tx.Exec(ctx, removeFenceSQL, pgx.StrictNamedArgs{"id": id}); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, releaseAllSQL, pgx.StrictNamedArgs{"id": id})
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, writeFault("end owner", err)
}

// terminateSQL ends the sessions of an owner: a client that is stopped in the middle of a pipeline holds
// its lock on the fence past every timeout. A session that is gone by itself, or belongs to a role that
// may not be touched, is passed over: then the heartbeat's time alone must do.
const terminateSQL = `
SELECT count(pg_terminate_backend(pid))
FROM pg_catalog.pg_stat_activity
WHERE application_name = @name AND datname = current_database() AND pid <> pg_backend_pid() AND usename = current_user`

// TakeOver ends a dead owner: its sessions, its fence (waiting for commits under way), its leases. It
// reports false, and changes nothing, when the owner's heartbeat has moved since it was seen.
func (db *DB) TakeOver(ctx context.Context, dead Peer) (bool, error) {
	const op = "take over"
	ctx, cancel := bounded(ctx)
	defer cancel()
	var alive bool
	if err := db.pool.QueryRow(ctx, stillSQL, pgx.StrictNamedArgs{"id": dead.ID, "heartbeat": dead.Heartbeat}).Scan(&alive); err != nil {
		return false, readFault(op, err)
	}
	if alive {
		return false, nil
	}
	var ended int
	if err := db.pool.QueryRow(ctx, terminateSQL, pgx.StrictNamedArgs{"name": OwnerName(dead.ID)}).Scan(&ended); err != nil {
		return false, readFault(op, err)
	}
	return db.end(ctx, dead.ID, dead.Heartbeat)
}

// stillSQL looks again before anybody's sessions are ended.
const stillSQL = `SELECT NOT EXISTS (SELECT FROM detent.owner WHERE owner_id = @id AND heartbeat = @heartbeat)`

// Leave ends this owner in one transaction. ErrFenced when another has ended it before.
func (db *DB) Leave(ctx context.Context, id int64) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	ended, err := db.end(ctx, id, -1)
	if err == nil && !ended {
		return fmt.Errorf("leave: owner %d: %w", id, ErrFenced)
	}
	return err
}
