-- What happened. Both tables are appended to only.

CREATE TABLE detent.history_entry (
    bucket             smallint         NOT NULL,
    namespace          text COLLATE "C" NOT NULL,
    machine_id         text COLLATE "C" NOT NULL,
    seq                bigint           NOT NULL CHECK (seq > 0),
    event_id           text COLLATE "C",
    outcome            text             NOT NULL CHECK (outcome IN ('applied', 'ignored', 'deferred', 'dead', 'suspended', 'operator')),
    event              text,
    event_time         timestamptz      NOT NULL,
    effective_time     timestamptz      NOT NULL,
    processed_at       timestamptz      NOT NULL,
    lateness_ms        double precision,
    definition_version integer          NOT NULL,
    from_value         text,
    to_value           text,
    actions            text,
    effects            text,
    changes            text,
    reason             text,
    owner_id           bigint           NOT NULL,
    lane               integer          NOT NULL,
    -- Only the decision that finally consumes an event carries its id.
    CONSTRAINT history_entry_final CHECK (event_id IS NULL OR outcome IN ('applied', 'ignored', 'dead')),
    -- The one index, as each costs about a third of a row's write. It is the truth of idempotency: an
    -- event has at most one final entry. Entries without an event id do not collide, since NULLs are
    -- distinct. A machine's history is read by the prefix and sorted by seq.
    CONSTRAINT history_entry_once UNIQUE (bucket, namespace, machine_id, event_id)
) WITH (
    -- Never updated: pages are filled, and vacuum comes for the visibility map alone.
    fillfactor = 100,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000,
    autovacuum_analyze_scale_factor = 0.02
);
COMMENT ON TABLE detent.history_entry IS 'A row is one macrostep of a machine, or one decision about it.';
COMMENT ON COLUMN detent.history_entry.bucket IS 'The machine''s bucket.';
COMMENT ON COLUMN detent.history_entry.namespace IS 'The machine''s namespace.';
COMMENT ON COLUMN detent.history_entry.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.history_entry.seq IS 'Counts up from 1 for each machine, and never restarts.';
COMMENT ON COLUMN detent.history_entry.event_id IS 'Id of the event that this decision finally consumed; NULL when it did not: the event was deferred, the machine suspended, or an operator acted.';
COMMENT ON COLUMN detent.history_entry.outcome IS 'applied, ignored (nothing took the event), deferred (it waits for another configuration), dead (it is a dead letter), suspended, or operator.';
COMMENT ON COLUMN detent.history_entry.event IS 'The event as JSON, NULL when there was none.';
COMMENT ON COLUMN detent.history_entry.event_time IS 'When the event happened: accepted, or due.';
COMMENT ON COLUMN detent.history_entry.effective_time IS 'The event time, or the machine''s own time when that was later: what "now" was in expressions.';
COMMENT ON COLUMN detent.history_entry.processed_at IS 'The database''s clock when the event was handled.';
COMMENT ON COLUMN detent.history_entry.lateness_ms IS 'Of a timer: from its deadline to its handling, in milliseconds; NULL otherwise.';
COMMENT ON COLUMN detent.history_entry.definition_version IS 'Version of the definition that decided.';
COMMENT ON COLUMN detent.history_entry.from_value IS 'State value before as JSON, NULL before the first macrostep.';
COMMENT ON COLUMN detent.history_entry.to_value IS 'State value after as JSON, NULL when the machine never started.';
COMMENT ON COLUMN detent.history_entry.actions IS 'JSON array: the actions that ran.';
COMMENT ON COLUMN detent.history_entry.effects IS 'JSON array: what the macrostep asked to be made durable or told.';
COMMENT ON COLUMN detent.history_entry.changes IS 'JSON object: the keys of the context that changed, with their new values.';
COMMENT ON COLUMN detent.history_entry.reason IS 'JSON object: why the event is dead or deferred or the machine suspended; NULL otherwise.';
COMMENT ON COLUMN detent.history_entry.owner_id IS 'The owner that decided.';
COMMENT ON COLUMN detent.history_entry.lane IS 'Its lane.';

CREATE TABLE detent.dead_letter (
    bucket      smallint         NOT NULL,
    namespace   text COLLATE "C" NOT NULL,
    machine_id  text COLLATE "C" NOT NULL,
    event_id    text COLLATE "C" NOT NULL,
    seq         bigint           NOT NULL,
    event_time  timestamptz      NOT NULL,
    event       text             NOT NULL,
    reason      text             NOT NULL,
    recorded_at timestamptz      NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (bucket, namespace, machine_id, event_id)
);
COMMENT ON TABLE detent.dead_letter IS 'A row is an event that could not be handled. Detent never deletes one.';
COMMENT ON COLUMN detent.dead_letter.bucket IS 'The machine''s bucket.';
COMMENT ON COLUMN detent.dead_letter.namespace IS 'The machine''s namespace.';
COMMENT ON COLUMN detent.dead_letter.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.dead_letter.event_id IS 'The event''s id.';
COMMENT ON COLUMN detent.dead_letter.seq IS 'Number of its entry in the machine''s history.';
COMMENT ON COLUMN detent.dead_letter.event_time IS 'When the event happened.';
COMMENT ON COLUMN detent.dead_letter.event IS 'The event as JSON.';
COMMENT ON COLUMN detent.dead_letter.reason IS 'JSON object {code, message, pointer}: why.';
COMMENT ON COLUMN detent.dead_letter.recorded_at IS 'When it was given up.';
