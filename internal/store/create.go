package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

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

// createMachineSQL writes the machine and its first event, or neither. The event's ordinal is 0: the
// events that others accept for the machine count from 1, so even those of the same microsecond come
// after it.
const createMachineSQL = `
WITH made AS (
    INSERT INTO detent.machine
        (bucket, namespace, machine_id, definition, version, parent, labels, fingerprint, created_by)
    VALUES
        (@bucket, @namespace, @machine_id, @definition, @version, nullif(@parent, ''), @labels, @fingerprint, @created_by)
    ON CONFLICT (bucket, namespace, machine_id) DO NOTHING
    RETURNING bucket, namespace, machine_id
)
INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, event)
SELECT m.bucket, m.namespace, m.machine_id, @event_id, clock_timestamp(), 0, @event
FROM made m`

// fingerprintSQL is a statement of its own: only a new one sees what another transaction committed
// while the insertion waited for it.
const fingerprintSQL = `
SELECT fingerprint FROM detent.machine
WHERE bucket = @bucket AND namespace = @namespace AND machine_id = @machine_id`

// CreateMachine stores the machine and its first event. The same id and fingerprint again changes
// nothing and answers created false; with another fingerprint it returns ErrConflict.
func (db *DB) CreateMachine(ctx context.Context, m NewMachine) (created bool, err error) {
	const op = "create machine"
	ctx, cancel := bounded(ctx)
	defer cancel()
	tag, err := db.pool.Exec(ctx, createMachineSQL, pgx.StrictNamedArgs{
		"bucket": m.Key.Bucket(), "namespace": m.Key.Namespace, "machine_id": m.Key.Machine,
		"definition": m.Definition, "version": m.Version, "parent": m.Parent,
		"labels": string(m.Labels), "fingerprint": m.Fingerprint, "created_by": m.CreatedBy,
		"event_id": m.EventID, "event": string(m.Event),
	})
	if err != nil {
		return false, writeFault(op, err)
	}
	if tag.RowsAffected() == 1 {
		return true, nil
	}
	var fingerprint []byte
	err = db.pool.QueryRow(ctx, fingerprintSQL, pgx.StrictNamedArgs{
		"bucket": m.Key.Bucket(), "namespace": m.Key.Namespace, "machine_id": m.Key.Machine,
	}).Scan(&fingerprint)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // it was there, and was deleted in between
		return false, fmt.Errorf("%s: %w: %q was deleted just now", op, ErrRetry, m.Key.Machine)
	case err != nil:
		return false, readFault(op, err)
	case !bytes.Equal(fingerprint, m.Fingerprint):
		return false, fmt.Errorf("%s: machine %q %w", op, m.Key.Machine, ErrConflict)
	}
	return false, nil
}
