package store

import "github.com/jackc/pgx/v5"

// addSnapshotsSQL appends. Two writers of one machine would collide on the seq.
const addSnapshotsSQL = `
INSERT INTO detent.snapshot (bucket, namespace, machine_id, seq, status, snapshot, reason)
SELECT * FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @seqs::bigint[], @statuses::text[], @snapshots::text[], @reasons::text[])`

func (b *applyBatch) addSnapshots(rows []SnapshotRow) {
	if len(rows) == 0 {
		return
	}
	rows = byBucket(rows, func(r *SnapshotRow) Key { return r.Key }, func(a, b *SnapshotRow) int {
		return compareNames(a.Key, b.Key)
	})
	columns := newKeyColumns(len(rows))
	for _, r := range rows {
		columns.add(r.Key)
	}
	b.Queue(addSnapshotsSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"seqs":      column(rows, func(r *SnapshotRow) int64 { return r.Seq }),
		"statuses":  column(rows, func(r *SnapshotRow) string { return r.Status }),
		"snapshots": column(rows, func(r *SnapshotRow) []byte { return r.Snapshot }),
		"reasons":   column(rows, func(r *SnapshotRow) []byte { return r.Reason }),
	})
}

const deletePredecessorsSQL = `
WITH gone AS (
    DELETE FROM detent.snapshot s
    USING unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @seqs::bigint[])
        AS u (bucket, namespace, machine_id, seq)
    WHERE s.bucket = u.bucket AND s.namespace = u.namespace AND s.machine_id = u.machine_id AND s.seq = u.seq
    RETURNING 1
)
SELECT detent.assert_count('snapshot', @count, count(*)) FROM gone`

// deletePredecessors asserts that the batch was decided on what is stored.
func (b *applyBatch) deletePredecessors(rows []SnapshotRow) {
	columns := newKeyColumns(len(rows))
	seqs := make([]int64, 0, len(rows))
	for _, r := range rows {
		if r.PrevSeq != 0 {
			columns.add(r.Key)
			seqs = append(seqs, r.PrevSeq)
		}
	}
	if len(seqs) == 0 {
		return
	}
	b.Queue(deletePredecessorsSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"seqs": seqs, "count": len(seqs),
	})
}
