package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

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
	Omitted    bool   // its snapshot was left out, for those before it are large (LoadMachines only)
	Owner      string // name of who holds its bucket, as in the views, "" when nobody does (FindMachine and ListMachines only)
	CreatedAt  time.Time
	UpdatedAt  time.Time // of the newest snapshot, or createdAt
}

// loadBytes bounds the snapshots that one LoadMachines reads: a batch's machines can be some hundred
// kilobytes, or some gigabytes.
const loadBytes = 8 << 20

// loadMachinesSQL reads what a lane has to know. A suspended machine's parked events wait for an
// operator, not for another configuration, but that difference is the caller's. How large a snapshot is
// can be told without reading it.
const loadMachinesSQL = `
SELECT
    w.namespace, w.machine_id, w.definition, w.version, w.parent, w.labels, w.seq, w.status,
    CASE WHEN w.before < @bytes THEN w.snapshot END, w.reason, w.deferred, w.created_at, w.updated_at, w.before >= @bytes
FROM (
    SELECT
        u.place, m.namespace, m.machine_id, m.definition, m.version, coalesce(m.parent, '') AS parent, m.labels,
        coalesce(s.seq, 0) AS seq, coalesce(s.status, 'starting') AS status, s.snapshot, s.reason,
        EXISTS (
            SELECT FROM detent.inbox i
            WHERE i.bucket = m.bucket AND i.namespace = m.namespace AND i.machine_id = m.machine_id AND i.parked
        ) AS deferred,
        m.created_at, coalesce(s.updated_at, m.created_at) AS updated_at,
        sum(coalesce(octet_length(s.snapshot), 0)) OVER (ORDER BY u.place) - coalesce(octet_length(s.snapshot), 0) AS before
    FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[])
        WITH ORDINALITY AS u (bucket, namespace, machine_id, place)
    JOIN detent.machine m
        ON m.bucket = u.bucket AND m.namespace = u.namespace AND m.machine_id = u.machine_id
    LEFT JOIN LATERAL (
        SELECT * FROM detent.snapshot s
        WHERE s.bucket = m.bucket AND s.namespace = m.namespace AND s.machine_id = m.machine_id
        ORDER BY s.seq DESC
        LIMIT 1
    ) s ON true
) w
ORDER BY w.place`

// LoadMachines returns machines with their newest snapshots, in the order of the keys. Keys that name
// none are left out. When the snapshots are large, the later ones are omitted, never the first.
func (db *DB) LoadMachines(ctx context.Context, keys []Key) ([]Machine, error) {
	const op = "load machines"
	ctx, cancel := bounded(ctx)
	defer cancel()
	columns := columnsOf(keys)
	rows, err := db.pool.Query(ctx, loadMachinesSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines, "bytes": loadBytes,
	})
	if err != nil {
		return nil, readFault(op, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Machine, error) {
		var m Machine
		err := row.Scan(&m.Key.Namespace, &m.Key.Machine, &m.Definition, &m.Version, &m.Parent, &m.Labels,
			&m.Seq, &m.Status, &m.Snapshot, &m.Reason, &m.Deferred, &m.CreatedAt, &m.UpdatedAt, &m.Omitted)
		return m, err
	})
	return all, readFault(op, err)
}

// Binding is which version of which definition a machine has.
type Binding struct {
	Key        Key
	Definition string
	Version    int
}

const bindingsSQL = `
SELECT m.namespace, m.machine_id, m.definition, m.version
FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[]) AS u (bucket, namespace, machine_id)
JOIN detent.machine m
    ON m.bucket = u.bucket AND m.namespace = u.namespace AND m.machine_id = u.machine_id`

// Bindings returns which definitions machines have. Keys that name none are left out.
func (db *DB) Bindings(ctx context.Context, keys []Key) ([]Binding, error) {
	const op = "bindings"
	ctx, cancel := bounded(ctx)
	defer cancel()
	columns := columnsOf(keys)
	rows, err := db.pool.Query(ctx, bindingsSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
	})
	if err != nil {
		return nil, readFault(op, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Binding, error) {
		var b Binding
		err := row.Scan(&b.Key.Namespace, &b.Key.Machine, &b.Definition, &b.Version)
		return b, err
	})
	return all, readFault(op, err)
}

// machineColumns is what people see of a machine; listMachinesSQL and findMachineSQL share it. The owner
// is looked up for each row that is shown: as a join, the buckets could be what a plan begins with.
const machineColumns = `
    m.namespace, m.machine_id, m.definition, m.version, coalesce(m.parent, '') AS parent, m.labels,
    coalesce(s.seq, 0) AS seq, coalesce(s.status, 'starting') AS status, s.snapshot, s.reason,
    (SELECT b.owner_id FROM detent.bucket b WHERE b.bucket = m.bucket) AS owner_id, m.created_at, coalesce(s.updated_at, m.created_at) AS updated_at
FROM detent.machine m
LEFT JOIN LATERAL (
    SELECT * FROM detent.snapshot s
    WHERE s.bucket = m.bucket AND s.namespace = m.namespace AND s.machine_id = m.machine_id
    ORDER BY s.seq DESC
    LIMIT 1
) s ON true`

const findMachineSQL = `
SELECT` + machineColumns + `
WHERE m.bucket = @bucket AND m.namespace = @namespace AND m.machine_id = @machine_id`

// FindMachine returns one machine. ErrNotFound.
func (db *DB) FindMachine(ctx context.Context, key Key) (Machine, error) {
	const op = "find machine"
	ctx, cancel := bounded(ctx)
	defer cancel()
	if !storable(key.Namespace) || !storable(key.Machine) {
		return Machine{}, found(op, pgx.ErrNoRows)
	}
	rows, err := db.pool.Query(ctx, findMachineSQL, pgx.StrictNamedArgs{
		"bucket": key.Bucket(), "namespace": key.Namespace, "machine_id": key.Machine,
	})
	if err != nil {
		return Machine{}, readFault(op, err)
	}
	m, err := pgx.CollectExactlyOneRow(rows, scanMachine)
	if err != nil {
		return Machine{}, found(op, err)
	}
	return m, nil
}

// MachineFilter selects machines to list, in the order of (bucket, id).
type MachineFilter struct {
	Namespace  string
	Definition string // "" is any
	Status     string // "" is any
	AfterID    string // "" is from the beginning: the last id of the page before
	Limit      int
}

// PageBytes bounds what people read at once: of the machines or entries of a page only so many are
// returned that what is before the last one is smaller than that.
const PageBytes = 8 << 20

// fittingMachines begins and ends a page of machines: those of a list that fit.
const (
	fittingMachines = `
SELECT
    w.namespace, w.machine_id, w.definition, w.version, w.parent, w.labels, w.seq, w.status, w.snapshot, w.reason,
    w.owner_id, w.created_at, w.updated_at
FROM (
    SELECT p.*, sum(p.size) OVER (ORDER BY p.bucket, p.namespace, p.machine_id) - p.size AS before
    FROM (
        SELECT m.bucket, coalesce(octet_length(s.snapshot), 0) AS size,` + machineColumns
	endOfFitting = `
    ) p
) w
WHERE w.before < @bytes
ORDER BY w.bucket, w.namespace, w.machine_id`
)

// listMachinesSQL goes through the buckets in their order: the order of the primary key, so that a page
// begins where the one before ended and, without a status, reads no more than it shows. The expression
// around the namespace keeps the planner from the other index, which would have to be sorted.
const listMachinesSQL = fittingMachines + `
WHERE (m.namespace || '') = @namespace
    AND (m.bucket, m.namespace, m.machine_id) > (@after_bucket::smallint, @namespace, @after_id)
    AND (@status = '' OR coalesce(s.status, 'starting') = @status)
ORDER BY m.bucket, m.namespace, m.machine_id
LIMIT @limit` + endOfFitting

// listMachinesOfSQL does the same for one definition, by the index for it.
const listMachinesOfSQL = fittingMachines + `
WHERE m.namespace = @namespace AND m.definition = @definition
    AND (m.bucket, m.machine_id) > (@after_bucket::smallint, @after_id)
    AND (@status = '' OR coalesce(s.status, 'starting') = @status)
ORDER BY m.bucket, m.machine_id
LIMIT @limit` + endOfFitting

// ListMachines returns a page of machines, at least one if there is any: when they are larger than
// PageBytes, fewer than the limit.
func (db *DB) ListMachines(ctx context.Context, f MachineFilter) ([]Machine, error) {
	const op = "list machines"
	ctx, cancel := bounded(ctx)
	defer cancel()
	if !storable(f.AfterID) || !storable(f.Definition) || !storable(f.Status) {
		return nil, nil // no machine has such an id, so none follows it, and so on
	}
	afterBucket := int16(-1)
	if f.AfterID != "" {
		afterBucket = Key{Namespace: f.Namespace, Machine: f.AfterID}.Bucket()
	}
	sql, args := listMachinesSQL, pgx.StrictNamedArgs{
		"namespace": f.Namespace, "after_bucket": afterBucket, "after_id": f.AfterID, "status": f.Status, "limit": f.Limit,
		"bytes": PageBytes,
	}
	if f.Definition != "" {
		sql, args["definition"] = listMachinesOfSQL, f.Definition
	}
	rows, err := db.pool.Query(ctx, sql, args)
	if err != nil {
		return nil, readFault(op, err)
	}
	all, err := pgx.CollectRows(rows, scanMachine)
	return all, readFault(op, err)
}

func scanMachine(row pgx.CollectableRow) (Machine, error) {
	var m Machine
	var owner *int64
	err := row.Scan(&m.Key.Namespace, &m.Key.Machine, &m.Definition, &m.Version, &m.Parent, &m.Labels,
		&m.Seq, &m.Status, &m.Snapshot, &m.Reason, &owner, &m.CreatedAt, &m.UpdatedAt)
	if owner != nil {
		m.Owner = OwnerName(*owner)
	}
	return m, err
}
