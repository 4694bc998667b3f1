package store

import (
	"time"

	"github.com/jackc/pgx/v5"
)

const consumeSQL = `
WITH gone AS (
    DELETE FROM detent.inbox i
    USING unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @event_ids::text[])
        AS u (bucket, namespace, machine_id, event_id)
    WHERE i.bucket = u.bucket AND i.namespace = u.namespace AND i.machine_id = u.machine_id AND i.event_id = u.event_id
    RETURNING 1
)
SELECT detent.assert_count('inbox', @count, count(*)) FROM gone`

// consume deletes the events that were decided.
func (b *applyBatch) consume(refs []EventRef) { b.each(consumeSQL, refs) }

const deferSQL = `
WITH parked AS (
    UPDATE detent.inbox i SET parked = true
    FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @event_ids::text[])
        AS u (bucket, namespace, machine_id, event_id)
    WHERE i.bucket = u.bucket AND i.namespace = u.namespace AND i.machine_id = u.machine_id AND i.event_id = u.event_id
    RETURNING 1
)
SELECT detent.assert_count('inbox', @count, count(*)) FROM parked`

// deferEvents parks events one by one: they wait for another configuration.
func (b *applyBatch) deferEvents(refs []EventRef) { b.each(deferSQL, refs) }

func (b *applyBatch) each(sql string, refs []EventRef) {
	if len(refs) == 0 {
		return
	}
	columns, ids := columnsOfRefs(refs)
	b.Queue(sql, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"event_ids": ids, "count": len(refs),
	})
}

// checkSQL reads each bucket from its oldest waiting row up to the bound: whatever a lane has not come
// to yet. Two transactions can stamp the same microsecond; such a tie may go either way, and one that
// the lane has left for its next batch must not stop this one. The expression around the machine's id
// keeps the planner from the primary key, by which it would walk over all that waits for a machine with
// a long inbox.
const checkSQL = `
SELECT detent.raise_late(jsonb_agg(jsonb_build_array(u.namespace, u.machine_id)))
FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @times::timestamptz[], @nos::integer[])
    AS u (bucket, namespace, machine_id, event_time, no)
WHERE EXISTS (
    SELECT FROM detent.inbox i
    WHERE i.bucket = u.bucket AND NOT i.parked
        AND (i.event_time, i.no) < (u.event_time, u.no)
        AND (i.namespace || '') = u.namespace AND (i.machine_id || '') = u.machine_id
)`

// check is the commit check.
func (b *applyBatch) check(checks []Check) {
	if len(checks) == 0 {
		return
	}
	columns := newKeyColumns(len(checks))
	for _, c := range checks {
		columns.add(c.Key)
	}
	b.Queue(checkSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"times": column(checks, func(c *Check) time.Time { return c.Time }),
		"nos":   column(checks, func(c *Check) int32 { return int32(c.No) }),
	})
}

// parkEventsSQL goes by the primary key, like claimMachinesSQL.
const parkEventsSQL = `
UPDATE detent.inbox i SET parked = true
FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[]) AS u (bucket, namespace, machine_id)
WHERE i.bucket = u.bucket AND i.namespace = u.namespace AND i.machine_id = u.machine_id AND i.parked::integer = 0`

// parkTimersSQL goes through the timers of a bucket: a suspension is rare, and an index for it would
// cost every timer.
const parkTimersSQL = `
DELETE FROM detent.timer t
USING unnest(@buckets::smallint[], @namespaces::text[], @machines::text[]) AS u (bucket, namespace, machine_id)
WHERE t.bucket = u.bucket AND t.namespace = u.namespace AND t.machine_id = u.machine_id`

// park takes suspended machines off the work lists. How many rows that concerns is not asserted: the
// suspension of a machine whose rows are not as they should be must not fail for just that.
func (b *applyBatch) park(keys []Key) {
	b.machines(parkEventsSQL, keys)
	b.machines(parkTimersSQL, keys)
}

const unparkSQL = `
UPDATE detent.inbox i SET parked = false
FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[]) AS u (bucket, namespace, machine_id)
WHERE i.bucket = u.bucket AND i.namespace = u.namespace AND i.machine_id = u.machine_id AND i.parked`

// unpark lets deferred events wait again, after the commit check, which they would fail.
func (b *applyBatch) unpark(keys []Key) { b.machines(unparkSQL, keys) }

func (b *applyBatch) machines(sql string, keys []Key) {
	if len(keys) == 0 {
		return
	}
	columns := columnsOf(keys)
	b.Queue(sql, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
	})
}

// addMessagesSQL passes over a message that is there already: it was sent before.
const addMessagesSQL = `
INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, event)
SELECT * FROM unnest(@buckets::smallint[], @namespaces::text[], @machines::text[], @event_ids::text[], @times::timestamptz[], @nos::integer[], @events::text[])
ON CONFLICT (bucket, namespace, machine_id, event_id) DO NOTHING`

func (b *applyBatch) addMessages(messages []Message) {
	if len(messages) == 0 {
		return
	}
	messages = byBucket(messages, func(m *Message) Key { return m.Key }, func(a, b *Message) int {
		return compareRefs(&a.EventRef, &b.EventRef)
	})
	columns := newKeyColumns(len(messages))
	for _, m := range messages {
		columns.add(m.Key)
	}
	b.Queue(addMessagesSQL, pgx.StrictNamedArgs{
		"buckets": columns.buckets, "namespaces": columns.namespaces, "machines": columns.machines,
		"event_ids": column(messages, func(m *Message) string { return m.EventID }),
		"times":     column(messages, func(m *Message) time.Time { return m.EventTime }),
		"nos":       column(messages, func(m *Message) int32 { return int32(m.No) }),
		"events":    column(messages, func(m *Message) []byte { return m.Event }),
	})
}
