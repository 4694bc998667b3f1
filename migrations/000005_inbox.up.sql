-- What waits. No other mark says that a machine has work: these rows are the work list, so that no
-- wake-up can be lost.

CREATE TABLE detent.inbox (
    bucket     smallint         NOT NULL,
    namespace  text COLLATE "C" NOT NULL,
    machine_id text COLLATE "C" NOT NULL,
    event_id   text COLLATE "C" NOT NULL CHECK (detent.is_event_id(event_id)),
    event_time timestamptz      NOT NULL,
    no         integer          NOT NULL,
    parked     boolean          NOT NULL DEFAULT false,
    event      text             NOT NULL,
    PRIMARY KEY (bucket, namespace, machine_id, event_id)
) WITH (
    -- Rows live for milliseconds. Whoever reads the oldest ones first walks over the dead ones at the
    -- left edge of the index until vacuum took them away.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0
);
COMMENT ON TABLE detent.inbox IS 'A row is an event that was accepted and not handled yet.';
COMMENT ON COLUMN detent.inbox.bucket IS 'The machine''s bucket.';
COMMENT ON COLUMN detent.inbox.namespace IS 'The machine''s namespace.';
COMMENT ON COLUMN detent.inbox.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.inbox.event_id IS 'The event''s id; its prefix tells the source.';
COMMENT ON COLUMN detent.inbox.event_time IS 'When the event happened: accepted, or sent by another machine.';
COMMENT ON COLUMN detent.inbox.no IS 'Ordinal within the transaction that accepted it: events of one transaction share their time.';
COMMENT ON COLUMN detent.inbox.parked IS 'Not to be read now: its machine is suspended, or it waits for another configuration.';
COMMENT ON COLUMN detent.inbox.event IS 'The event as JSON.';

-- The order in which events are read. Parked ones are not in it, so that they cost nothing.
CREATE INDEX inbox_waiting ON detent.inbox (bucket, event_time, no) WHERE NOT parked;

CREATE TABLE detent.timer (
    bucket     smallint         NOT NULL,
    deadline   timestamptz      NOT NULL,
    namespace  text COLLATE "C" NOT NULL,
    machine_id text COLLATE "C" NOT NULL,
    no         bigint           NOT NULL,
    event_id   text COLLATE "C" NOT NULL CHECK (detent.is_event_id(event_id)),
    event_type text             NOT NULL,
    -- By deadline, for that is how it is read. Who deletes a row knows the deadline from the snapshot,
    -- so one index serves both at about half the cost of two.
    PRIMARY KEY (bucket, deadline, namespace, machine_id, no)
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0
);
COMMENT ON TABLE detent.timer IS 'A row is a deadline to come: an inbox row ahead of its time. The truth is the list in the machine''s snapshot; only the owner''s commit adds or removes a row.';
COMMENT ON COLUMN detent.timer.bucket IS 'The machine''s bucket.';
COMMENT ON COLUMN detent.timer.deadline IS 'When it is due: the event time of what it brings.';
COMMENT ON COLUMN detent.timer.namespace IS 'The machine''s namespace.';
COMMENT ON COLUMN detent.timer.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.timer.no IS 'Its number in the machine, never used again there.';
COMMENT ON COLUMN detent.timer.event_id IS 'Id of the event that it brings.';
COMMENT ON COLUMN detent.timer.event_type IS 'Type of the event that it brings.';
