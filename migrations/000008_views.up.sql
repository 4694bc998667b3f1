-- What people read. Views are kept stable: columns may be added, tables behind them may change.
-- docs/sql.md describes them.

CREATE VIEW detent.definitions AS
SELECT
    d.namespace,
    d.name,
    d.version,
    d.hash,
    detent.readable(d.document) AS document,
    detent.readable(d.warnings) AS warnings,
    d.created_at
FROM detent.definition d;
COMMENT ON VIEW detent.definitions IS 'Every version of every definition.';
COMMENT ON COLUMN detent.definitions.namespace IS 'Namespace.';
COMMENT ON COLUMN detent.definitions.name IS 'Name under which it was registered.';
COMMENT ON COLUMN detent.definitions.version IS 'Counts up from 1 for each name.';
COMMENT ON COLUMN detent.definitions.hash IS 'Hexadecimal sha256 of the canonical document.';
COMMENT ON COLUMN detent.definitions.document IS 'The definition.';
COMMENT ON COLUMN detent.definitions.warnings IS 'What was suspicious in it, but not wrong.';
COMMENT ON COLUMN detent.definitions.created_at IS 'When it was registered.';

-- OFFSET 0 keeps the snapshot from being read once for each column; a query that asks for none of
-- them does not read it at all.
CREATE VIEW detent.machines AS
SELECT
    m.namespace,
    m.machine_id AS id,
    m.definition,
    m.version,
    coalesce(s.status, 'starting') AS status,
    s.document -> 'value' AS value,
    s.document -> 'context' AS context,
    s.document -> 'output' AS output,
    s.document -> 'error' AS error,
    detent.readable(s.reason) AS reason,
    coalesce(s.seq, 0) AS seq,
    timestamptz 'epoch' + (s.document #>> '{detent,now}')::bigint * interval '1 microsecond' AS now,
    'detent/' || b.owner_id AS owner,
    m.parent,
    detent.readable(m.labels) AS labels,
    m.created_by,
    m.created_at,
    coalesce(s.updated_at, m.created_at) AS updated_at,
    m.bucket
FROM detent.machine m
JOIN detent.bucket b ON b.bucket = m.bucket
LEFT JOIN LATERAL (
    SELECT n.seq, n.status, n.reason, n.updated_at, detent.readable(n.snapshot) AS document
    FROM detent.snapshot n
    WHERE n.bucket = m.bucket AND n.namespace = m.namespace AND n.machine_id = m.machine_id
    ORDER BY n.seq DESC
    LIMIT 1
) s ON true;
COMMENT ON VIEW detent.machines IS 'Every machine, where it stands and who holds it.';
COMMENT ON COLUMN detent.machines.namespace IS 'Namespace.';
COMMENT ON COLUMN detent.machines.id IS 'Its id.';
COMMENT ON COLUMN detent.machines.definition IS 'Name of its definition.';
COMMENT ON COLUMN detent.machines.version IS 'Version of its definition.';
COMMENT ON COLUMN detent.machines.status IS 'starting (before its first macrostep), active, done, error, stopped or suspended.';
COMMENT ON COLUMN detent.machines.value IS 'State value, as in XState: a text, or an object for nested states.';
COMMENT ON COLUMN detent.machines.context IS 'Its context.';
COMMENT ON COLUMN detent.machines.output IS 'What it ended with, when it is done.';
COMMENT ON COLUMN detent.machines.error IS 'What it failed with, when its status is error.';
COMMENT ON COLUMN detent.machines.reason IS 'Why it is suspended: {code, message, pointer}.';
COMMENT ON COLUMN detent.machines.seq IS 'Number of its latest entry in history.';
COMMENT ON COLUMN detent.machines.now IS 'Its own time: the effective time of its latest macrostep.';
COMMENT ON COLUMN detent.machines.owner IS 'The worker that holds it, which is the application_name of that worker''s connections; NULL when nobody does.';
COMMENT ON COLUMN detent.machines.parent IS 'Id of the machine that started it.';
COMMENT ON COLUMN detent.machines.labels IS 'Its labels.';
COMMENT ON COLUMN detent.machines.created_by IS 'Who asked for it.';
COMMENT ON COLUMN detent.machines.created_at IS 'When it was made.';
COMMENT ON COLUMN detent.machines.updated_at IS 'When its latest macrostep was written.';
COMMENT ON COLUMN detent.machines.bucket IS 'The bucket that it lies in.';

CREATE VIEW detent.history AS
SELECT
    h.namespace,
    h.machine_id,
    h.seq,
    h.outcome,
    detent.readable(h.event) ->> 'type' AS event_type,
    h.event_id,
    detent.readable(h.event) AS event,
    h.event_time,
    h.effective_time,
    h.processed_at,
    extract(epoch FROM h.processed_at - h.event_time) * 1000 AS delay_ms,
    h.lateness_ms,
    detent.readable(h.from_value) AS "from",
    detent.readable(h.to_value) AS "to",
    detent.readable(h.actions) AS actions,
    detent.readable(h.effects) AS effects,
    detent.readable(h.changes) AS changes,
    detent.readable(h.reason) AS reason,
    h.definition_version,
    'detent/' || h.owner_id AS owner,
    h.lane,
    h.bucket
FROM detent.history_entry h;
COMMENT ON VIEW detent.history IS 'Every macrostep of every machine and every decision about it.';
COMMENT ON COLUMN detent.history.namespace IS 'Namespace.';
COMMENT ON COLUMN detent.history.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.history.seq IS 'Counts up from 1 for each machine.';
COMMENT ON COLUMN detent.history.outcome IS 'applied, ignored (nothing took the event), deferred (it waits for another configuration), dead (it is a dead letter), suspended, or operator.';
COMMENT ON COLUMN detent.history.event_type IS 'Type of the event.';
COMMENT ON COLUMN detent.history.event_id IS 'Id of the event that was finally consumed, NULL when none was.';
COMMENT ON COLUMN detent.history.event IS 'The event.';
COMMENT ON COLUMN detent.history.event_time IS 'When the event happened: accepted, or due.';
COMMENT ON COLUMN detent.history.effective_time IS 'What "now" was in expressions: the event time, or the machine''s own time when that was later.';
COMMENT ON COLUMN detent.history.processed_at IS 'When it was handled, by the database''s clock.';
COMMENT ON COLUMN detent.history.delay_ms IS 'From event_time to processed_at, in milliseconds.';
COMMENT ON COLUMN detent.history.lateness_ms IS 'Of a timer: from its deadline to processed_at, in milliseconds; NULL otherwise.';
COMMENT ON COLUMN detent.history."from" IS 'State value before.';
COMMENT ON COLUMN detent.history."to" IS 'State value after.';
COMMENT ON COLUMN detent.history.actions IS 'The actions that ran.';
COMMENT ON COLUMN detent.history.effects IS 'What the macrostep asked for: timers, messages, tasks, logs.';
COMMENT ON COLUMN detent.history.changes IS 'The keys of the context that changed, with their new values.';
COMMENT ON COLUMN detent.history.reason IS 'Why the event is dead or deferred or the machine suspended: {code, message, pointer}.';
COMMENT ON COLUMN detent.history.definition_version IS 'Version of the definition that decided.';
COMMENT ON COLUMN detent.history.owner IS 'The worker that decided.';
COMMENT ON COLUMN detent.history.lane IS 'Its lane.';
COMMENT ON COLUMN detent.history.bucket IS 'The machine''s bucket.';
