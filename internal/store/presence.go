package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// presenceClass is the first half of the key of an owner's session advisory lock ("dtnt" in ASCII); the
// second half is the owner's id, cut to 32 bits.
const presenceClass = 0x64746e74

// Presence is a connection that holds the owner's session advisory lock: others see at once when it is
// gone. The caller keeps a reference: a connection that nobody refers to is closed.
type Presence struct{ conn *pgx.Conn }

const lockPresenceSQL = `SELECT pg_advisory_lock(@class::integer, @id::integer)`

const hadLockSQL = `UPDATE detent.owner SET had_lock = true WHERE owner_id = @id`

// HoldPresence takes the lock on a connection of its own. The caller keeps a reference and closes it.
// That the lock was held is noted after it was taken: only then does its absence mean death. ErrFenced
// when the owner is no more.
func (db *DB) HoldPresence(ctx context.Context, id int64) (*Presence, error) {
	const op = "hold presence"
	ctx, cancel := bounded(ctx)
	defer cancel()
	pooled, err := db.acquire(ctx, op)
	if err != nil {
		return nil, err
	}
	conn := pooled.Hijack() // the pool neither counts it nor waits for it
	p := &Presence{conn: conn}
	if _, err := conn.Exec(ctx, lockPresenceSQL, pgx.StrictNamedArgs{"class": presenceClass, "id": int32(uint32(id))}); err != nil {
		p.abandon()
		return nil, readFault(op, err)
	}
	tag, err := conn.Exec(ctx, hadLockSQL, pgx.StrictNamedArgs{"id": id})
	if err != nil {
		p.abandon()
		return nil, writeFault(op, err)
	}
	if tag.RowsAffected() == 0 {
		p.abandon()
		return nil, fmt.Errorf("%s: owner %d: %w", op, id, ErrFenced)
	}
	return p, nil
}

// Check reports whether the connection still lives.
func (p *Presence) Check(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	return readFault("presence", p.conn.Ping(ctx))
}

// Close gives the lock up, by ending the connection that holds it.
func (p *Presence) Close(ctx context.Context) error {
	return p.conn.Close(ctx)
}

func (p *Presence) abandon() {
	ctx, cancel := context.WithTimeout(context.Background(), connectPatience)
	defer cancel()
	// The connection is of no use any more, whatever closing it says.
	_ = p.Close(ctx)
}
