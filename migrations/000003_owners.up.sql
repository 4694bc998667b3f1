-- Who may commit for whom. Three tables, because three things change at different rates and must not
-- wait for one another: a heartbeat every second or so, a lease now and then, and the right to commit,
-- which every commit locks and only a takeover removes.

CREATE TABLE detent.owner (
    owner_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host         text        NOT NULL,
    pid          integer     NOT NULL,
    lanes        integer     NOT NULL CHECK (lanes > 0),
    heartbeat    bigint      NOT NULL DEFAULT 0,
    had_lock     boolean     NOT NULL DEFAULT false,
    joined_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (
    -- Each heartbeat makes a dead version of a row in a tiny table: room for it on the same page keeps
    -- the index out of it, and vacuum comes after 50 of them.
    fillfactor = 20,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50
);
COMMENT ON TABLE detent.owner IS 'A row is a worker process that lives, or that nobody has found dead yet.';
COMMENT ON COLUMN detent.owner.owner_id IS 'New for every start of a process and never used again.';
COMMENT ON COLUMN detent.owner.host IS 'Host that it runs on, for people.';
COMMENT ON COLUMN detent.owner.pid IS 'Process id on that host, for people.';
COMMENT ON COLUMN detent.owner.lanes IS 'How many lanes it runs; a bucket''s lane is its number modulo this.';
COMMENT ON COLUMN detent.owner.heartbeat IS 'Counts up while it lives. Others see by their own clocks that it stands still; no two clocks are compared.';
COMMENT ON COLUMN detent.owner.had_lock IS 'Whether it once held its session advisory lock, so that the lock''s absence means death.';
COMMENT ON COLUMN detent.owner.joined_at IS 'When the process started.';
COMMENT ON COLUMN detent.owner.heartbeat_at IS 'When the heartbeat last counted up, for people.';

CREATE TABLE detent.owner_fence (
    owner_id bigint  NOT NULL,
    lane     integer NOT NULL CHECK (lane >= 0),
    PRIMARY KEY (owner_id, lane)
);
COMMENT ON TABLE detent.owner_fence IS 'A row is the right of an owner''s lane to commit. Each commit holds it by FOR KEY SHARE; taking over deletes it, and so waits for commits under way and stops later ones. One row for each lane, since a row that many lock at once costs a MultiXact for each commit.';
COMMENT ON COLUMN detent.owner_fence.owner_id IS 'The owner.';
COMMENT ON COLUMN detent.owner_fence.lane IS 'Its lane, from 0.';

CREATE TABLE detent.bucket (
    bucket   smallint PRIMARY KEY CHECK (bucket BETWEEN 0 AND 255),
    owner_id bigint
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200
);
COMMENT ON TABLE detent.bucket IS 'A row is one of the 256 buckets that machines lie in. A lease on it is the lease on all of its machines.';
COMMENT ON COLUMN detent.bucket.bucket IS 'Its number; see detent.bucket_of.';
COMMENT ON COLUMN detent.bucket.owner_id IS 'The owner that holds it, NULL when nobody does.';

INSERT INTO detent.bucket (bucket) SELECT generate_series(0, 255)::smallint;
