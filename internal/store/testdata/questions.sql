-- What docs/sql.md asks its questions about: a small shop. Times that a question compares with the
-- clock lie around now, and far enough from where an answer would change; all others are fixed.

INSERT INTO detent.definition (namespace, name, version, hash, document, warnings) VALUES
    ('default', 'order', 1, repeat('1', 64), '{"machine":{}}', '[]'),
    ('default', 'order', 2, repeat('2', 64), '{"machine":{}}', '[]'),
    ('default', 'subscription', 1, repeat('3', 64), '{"machine":{}}', '[{"pointer":"/machine/states/x","code":"unreachable"}]');

CREATE TEMPORARY TABLE shop (id text, definition text, version integer, status text, seq bigint, snapshot text, reason text, ago interval, labels text);
INSERT INTO shop VALUES
    ('order-17', 'order', 2, 'done', 4, '{"status":"done","value":"shipped","historyValue":{},"context":{"total":60,"attempts":1},"children":{},"output":{"parcel":"P-9"},"detent":{"now":1777640460000000}}', NULL, '5 hours', '{"customer":"ada"}'),
    ('order-18', 'order', 1, 'active', 2, '{"status":"active","value":"awaitingPayment","historyValue":{},"context":{"total":12},"children":{},"detent":{"now":1777640460000000}}', NULL, '3 minutes', '{"customer":"ben"}'),
    ('order-19', 'order', 2, 'active', 1, '{"status":"active","value":"awaitingPayment","historyValue":{},"context":{"total":9007199254740993},"children":{},"detent":{"now":1777640460000001}}', NULL, '10 minutes', '{"customer":"ada"}'),
    ('order-20', 'order', 2, 'suspended', 3, '{"status":"active","value":"paying","historyValue":{},"context":{"total":7},"children":{},"detent":{"now":1777640460000000}}', '{"code":"expression","message":"division by zero","pointer":"/machine/states/paying/entry/0/assign/share"}', '2 hours', '{}'),
    ('order-21', 'order', 2, NULL, 0, NULL, NULL, NULL, '{}'),
    ('sub-1', 'subscription', 1, 'active', 7, '{"status":"active","value":{"access":"open","billing":"retrying"},"historyValue":{},"context":{},"children":{},"detent":{"now":1777640460000000}}', NULL, '20 minutes', '{}'),
    ('sub-2', 'subscription', 1, 'active', 2, '{"status":"active","value":{"access":"open","billing":"paid"},"historyValue":{},"context":{},"children":{},"detent":{"now":1777640460000000}}', NULL, '4 days', '{}');

INSERT INTO detent.machine (bucket, namespace, machine_id, definition, version, labels, fingerprint, created_by, created_at)
SELECT detent.bucket_of('default', id), 'default', id, definition, version, labels, 'f', 'shop', timestamptz '2026-05-01 12:00Z' FROM shop;

INSERT INTO detent.snapshot (bucket, namespace, machine_id, seq, status, snapshot, reason, updated_at)
SELECT detent.bucket_of('default', id), 'default', id, seq, status, snapshot, reason, now() - ago FROM shop WHERE status IS NOT NULL;

CREATE TEMPORARY TABLE happened (id text, seq bigint, event_id text, outcome text, event text, at timestamptz, late double precision, from_value text, to_value text, changes text, reason text);
INSERT INTO happened VALUES
    ('order-17', 1, 'i:1', 'applied', '{"type":"xstate.init","input":{"total":60}}', '2026-05-01 12:00:00Z', NULL, NULL, '"awaitingPayment"', '{"total":60,"attempts":0}', NULL),
    ('order-17', 2, 'c:p1', 'ignored', '{"type":"SHIP"}', '2026-05-01 12:00:20Z', NULL, '"awaitingPayment"', '"awaitingPayment"', '{}', NULL),
    ('order-17', 3, 'c:p2', 'applied', '{"type":"PAY","amount":60}', '2026-05-01 12:00:30Z', NULL, '"awaitingPayment"', '"paid"', '{"attempts":1}', NULL),
    ('order-17', 4, 't:3.1', 'applied', '{"type":"xstate.after.30s.order.paid"}', '2026-05-01 12:01:00Z', 2.5, '"paid"', '"shipped"', '{}', NULL),
    ('order-18', 1, 'i:1', 'applied', '{"type":"xstate.init"}', now() - interval '5 hours', NULL, NULL, '"awaitingPayment"', '{"total":12}', NULL),
    ('order-18', 2, 'c:n', 'applied', '{"type":"NOTE"}', now() - interval '3 minutes', NULL, '"awaitingPayment"', '"awaitingPayment"', '{}', NULL),
    ('order-19', 1, 'i:1', 'applied', '{"type":"xstate.init"}', now() - interval '10 minutes', NULL, NULL, '"awaitingPayment"', '{}', NULL),
    ('order-20', 1, 'i:1', 'applied', '{"type":"xstate.init"}', now() - interval '3 hours', NULL, NULL, '"paying"', '{}', NULL),
    ('order-20', 2, 'c:x', 'dead', '{"type":"PAY","amount":"a lot"}', now() - interval '150 minutes', NULL, '"paying"', '"paying"', '{}', '{"code":"invalid_event","message":"amount is not an integer","pointer":"/amount"}'),
    ('order-20', 3, NULL, 'suspended', '{"type":"PAY","amount":7}', now() - interval '2 hours', NULL, '"paying"', '"paying"', '{}', '{"code":"expression","message":"division by zero","pointer":"/machine/states/paying/entry/0/assign/share"}'),
    ('sub-1', 7, 't:1.3', 'applied', '{"type":"xstate.after.1d.subscription.billing.retrying"}', '2026-05-01 11:59:00Z', 14.25, '{"access":"open","billing":"retrying"}', '{"access":"open","billing":"retrying"}', '{}', NULL);
INSERT INTO detent.history_entry (bucket, namespace, machine_id, seq, event_id, outcome, event, event_time, effective_time, processed_at, lateness_ms, definition_version, from_value, to_value, actions, effects, changes, reason, owner_id, lane)
SELECT detent.bucket_of('default', id), 'default', id, seq, event_id, outcome, event, at, at, at + coalesce(late, 4) * interval '1 millisecond', late, 2, from_value, to_value, '[]', '[]', changes, reason, 1, 0
FROM happened;

INSERT INTO detent.dead_letter (bucket, namespace, machine_id, event_id, seq, event_time, event, reason)
SELECT detent.bucket_of('default', id), 'default', id, event_id, seq, at, event, reason FROM happened WHERE outcome = 'dead';

INSERT INTO detent.timer (bucket, namespace, machine_id, deadline, no, event_id, event_type)
SELECT detent.bucket_of('default', id), 'default', id, now() + at, 1, 't:1.1', type FROM (VALUES
    ('order-19', interval '25 minutes 30 seconds', 'xstate.after.35m.order.awaitingPayment'),
    ('sub-2', interval '26 days', 'xstate.after.30d.subscription.billing.paid'),
    ('sub-1', interval '-10 minutes -30 seconds', 'xstate.after.1d.subscription.billing.retrying')
) AS t (id, at, type);

INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, parked, event)
SELECT detent.bucket_of('default', id), 'default', id, event_id, now() - ago, 1, parked, event FROM (VALUES
    ('order-20', 'c:y', interval '2 hours', true, '{"type":"PAY","amount":7}'),
    ('order-20', 'c:z', interval '1 hour 10 minutes', true, '{"type":"NOTE","text":"\u0000"}'),
    ('order-21', 'i:1', interval '5 seconds', false, '{"type":"xstate.init"}'),
    ('sub-2', 'c:1', interval '1 second', false, '{"type":"CANCEL"}')
) AS e (id, event_id, ago, parked, event);

INSERT INTO detent.owner (host, pid, lanes, heartbeat) VALUES ('worker-a', 4711, 4, 250), ('worker-b', 4712, 4, 31);
INSERT INTO detent.owner_fence SELECT o.owner_id, n FROM detent.owner o, generate_series(0, 3) n;
UPDATE detent.bucket SET owner_id = CASE WHEN bucket < 128 THEN 1 WHEN bucket < 250 THEN 2 END;
