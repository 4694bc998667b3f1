-- A machine is two rows: what was settled when it was made, which a macrostep does not touch, and
-- where it stands, which every macrostep writes anew.

CREATE TABLE detent.machine (
    bucket      smallint         NOT NULL,
    namespace   text COLLATE "C" NOT NULL CHECK (detent.is_name(namespace)),
    machine_id  text COLLATE "C" NOT NULL CHECK (detent.is_machine_id(machine_id)),
    definition  text COLLATE "C" NOT NULL,
    version     integer          NOT NULL,
    parent      text COLLATE "C",
    labels      text             NOT NULL,
    fingerprint bytea            NOT NULL,
    created_by  text             NOT NULL,
    created_at  timestamptz      NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (bucket, namespace, machine_id),
    -- Every other row of a machine has its key from here, so the check is paid once for each machine.
    CONSTRAINT machine_bucket CHECK (bucket = detent.bucket_of(namespace, machine_id))
);
COMMENT ON TABLE detent.machine IS 'A row is a machine, as it was made. A macrostep does not touch it.';
COMMENT ON COLUMN detent.machine.bucket IS 'detent.bucket_of(namespace, machine_id).';
COMMENT ON COLUMN detent.machine.namespace IS 'Namespace; "default" until there are more.';
COMMENT ON COLUMN detent.machine.machine_id IS 'Its id; a child''s is its parent''s id, then "/name~seq".';
COMMENT ON COLUMN detent.machine.definition IS 'Name of its definition.';
COMMENT ON COLUMN detent.machine.version IS 'Version of its definition.';
COMMENT ON COLUMN detent.machine.parent IS 'Id of the machine that started it, NULL when none did.';
COMMENT ON COLUMN detent.machine.labels IS 'JSON object of texts, for finding it.';
COMMENT ON COLUMN detent.machine.fingerprint IS 'Of the request that made it: the same request again changes nothing, another one with this id is a conflict.';
COMMENT ON COLUMN detent.machine.created_by IS 'Who asked for it.';
COMMENT ON COLUMN detent.machine.created_at IS 'When it was made.';

-- Listing the machines of one definition, in the order of pages.
CREATE INDEX machine_by_definition ON detent.machine (namespace, definition, bucket, machine_id);

CREATE TABLE detent.snapshot (
    bucket     smallint         NOT NULL,
    namespace  text COLLATE "C" NOT NULL,
    machine_id text COLLATE "C" NOT NULL,
    seq        bigint           NOT NULL CHECK (seq > 0),
    status     text             NOT NULL CHECK (status IN ('starting', 'active', 'done', 'error', 'stopped', 'suspended')),
    snapshot   text,
    reason     text,
    updated_at timestamptz      NOT NULL DEFAULT clock_timestamp(),
    -- The seq in the key is a second guard against two writers of one machine.
    PRIMARY KEY (bucket, namespace, machine_id, seq)
) WITH (
    -- A macrostep appends a row and deletes the one before, so half of the table is dead all the time:
    -- vacuum has to come by a count, not by a share of the table, and must not pause in between.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_cost_delay = 0
);
COMMENT ON TABLE detent.snapshot IS 'A row is a machine after a macrostep. Rows are appended and the predecessor is deleted in the same transaction: an update in place would slow down under any long transaction, for every version in between has to be walked.';
COMMENT ON COLUMN detent.snapshot.bucket IS 'The machine''s bucket.';
COMMENT ON COLUMN detent.snapshot.namespace IS 'The machine''s namespace.';
COMMENT ON COLUMN detent.snapshot.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.snapshot.seq IS 'Number of the entry in history that led to it; it never restarts.';
COMMENT ON COLUMN detent.snapshot.status IS 'starting, active, done, error, stopped or suspended.';
COMMENT ON COLUMN detent.snapshot.snapshot IS 'The state value, the context, pending timers and children as JSON; NULL when the machine was suspended before it started.';
COMMENT ON COLUMN detent.snapshot.reason IS 'JSON object: why it is suspended; NULL otherwise.';
COMMENT ON COLUMN detent.snapshot.updated_at IS 'When the row was written.';
