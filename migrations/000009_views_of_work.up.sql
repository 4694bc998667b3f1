-- What people read about work to be done and about those who do it.

CREATE VIEW detent.timers AS
SELECT
    t.namespace,
    t.machine_id,
    t.deadline,
    t.event_type,
    t.event_id,
    t.deadline <= clock_timestamp() AS overdue,
    t.no,
    t.bucket
FROM detent.timer t;
COMMENT ON VIEW detent.timers IS 'Every deadline to come. The timers of suspended machines are not in it: they come back when the machine does.';
COMMENT ON COLUMN detent.timers.namespace IS 'Namespace.';
COMMENT ON COLUMN detent.timers.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.timers.deadline IS 'When it is due.';
COMMENT ON COLUMN detent.timers.event_type IS 'Type of the event that it brings.';
COMMENT ON COLUMN detent.timers.event_id IS 'Id of the event that it brings.';
COMMENT ON COLUMN detent.timers.overdue IS 'Whether the deadline has passed by the database''s clock.';
COMMENT ON COLUMN detent.timers.no IS 'Its number in the machine.';
COMMENT ON COLUMN detent.timers.bucket IS 'The machine''s bucket.';

CREATE VIEW detent.inboxes AS
SELECT
    i.namespace,
    i.machine_id,
    i.event_time,
    i.no,
    'inbox' AS source,
    detent.readable(i.event) ->> 'type' AS event_type,
    i.event_id,
    detent.readable(i.event) AS event,
    i.parked,
    i.bucket
FROM detent.inbox i
UNION ALL
SELECT
    t.namespace,
    t.machine_id,
    t.deadline,
    t.no,
    'timer',
    t.event_type,
    t.event_id,
    NULL,
    false,
    t.bucket
FROM detent.timer t
WHERE t.deadline <= clock_timestamp();
COMMENT ON VIEW detent.inboxes IS 'Every event that waits: accepted and not handled, or a timer that is due.';
COMMENT ON COLUMN detent.inboxes.namespace IS 'Namespace.';
COMMENT ON COLUMN detent.inboxes.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.inboxes.event_time IS 'When the event happened: accepted, or due.';
COMMENT ON COLUMN detent.inboxes.no IS 'Order among events of one time; of a timer, its number in the machine.';
COMMENT ON COLUMN detent.inboxes.source IS 'inbox or timer. At the same time a timer comes first.';
COMMENT ON COLUMN detent.inboxes.event_type IS 'Type of the event.';
COMMENT ON COLUMN detent.inboxes.event_id IS 'Id of the event.';
COMMENT ON COLUMN detent.inboxes.event IS 'The event; NULL for a timer, whose event is in the machine''s snapshot.';
COMMENT ON COLUMN detent.inboxes.parked IS 'Whether it is left alone for now: its machine is suspended, or it waits for another configuration.';
COMMENT ON COLUMN detent.inboxes.bucket IS 'The machine''s bucket.';

CREATE VIEW detent.dead_letters AS
SELECT
    d.namespace,
    d.machine_id,
    d.event_id,
    detent.readable(d.event) ->> 'type' AS event_type,
    detent.readable(d.event) AS event,
    d.event_time,
    detent.readable(d.reason) AS reason,
    d.seq,
    d.recorded_at,
    d.bucket
FROM detent.dead_letter d;
COMMENT ON VIEW detent.dead_letters IS 'Every event that could not be handled.';
COMMENT ON COLUMN detent.dead_letters.namespace IS 'Namespace.';
COMMENT ON COLUMN detent.dead_letters.machine_id IS 'The machine''s id.';
COMMENT ON COLUMN detent.dead_letters.event_id IS 'Id of the event.';
COMMENT ON COLUMN detent.dead_letters.event_type IS 'Type of the event.';
COMMENT ON COLUMN detent.dead_letters.event IS 'The event.';
COMMENT ON COLUMN detent.dead_letters.event_time IS 'When the event happened.';
COMMENT ON COLUMN detent.dead_letters.reason IS 'Why it could not be handled: {code, message, pointer}.';
COMMENT ON COLUMN detent.dead_letters.seq IS 'Number of its entry in the machine''s history.';
COMMENT ON COLUMN detent.dead_letters.recorded_at IS 'When it was given up.';
COMMENT ON COLUMN detent.dead_letters.bucket IS 'The machine''s bucket.';

CREATE VIEW detent.owners AS
SELECT
    'detent/' || o.owner_id AS owner,
    o.host,
    o.pid,
    o.lanes,
    (SELECT count(*) FROM detent.bucket b WHERE b.owner_id = o.owner_id) AS buckets,
    o.heartbeat,
    o.heartbeat_at,
    o.joined_at
FROM detent.owner o;
COMMENT ON VIEW detent.owners IS 'Every worker process that lives, or that nobody has found dead yet.';
COMMENT ON COLUMN detent.owners.owner IS 'Its name, which is the application_name of its connections.';
COMMENT ON COLUMN detent.owners.host IS 'Host that it runs on.';
COMMENT ON COLUMN detent.owners.pid IS 'Process id on that host.';
COMMENT ON COLUMN detent.owners.lanes IS 'How many lanes it runs.';
COMMENT ON COLUMN detent.owners.buckets IS 'How many buckets it holds.';
COMMENT ON COLUMN detent.owners.heartbeat IS 'Counts up while it lives.';
COMMENT ON COLUMN detent.owners.heartbeat_at IS 'When it last counted up.';
COMMENT ON COLUMN detent.owners.joined_at IS 'When the process started.';

CREATE VIEW detent.buckets AS
SELECT
    b.bucket,
    'detent/' || b.owner_id AS owner
FROM detent.bucket b;
COMMENT ON VIEW detent.buckets IS 'The 256 buckets that machines lie in.';
COMMENT ON COLUMN detent.buckets.bucket IS 'Its number.';
COMMENT ON COLUMN detent.buckets.owner IS 'The worker that holds it; NULL when nobody does.';
