-- The door for people's own transactions: an event, or a machine, that exists if and only if the
-- transaction around it commits.
--
-- Such a transaction can be long, and an event must not be dated back by it: a payment that commits
-- after a deadline was not accepted before it. So rows go in with the time `infinity`, and a deferred
-- trigger stamps them as the last thing before the commit. Nobody else sees them before.

CREATE FUNCTION detent.stamp_inbox() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE detent.inbox i SET event_time = clock_timestamp()
    WHERE i.bucket = NEW.bucket AND i.namespace = NEW.namespace
        AND i.machine_id = NEW.machine_id AND i.event_id = NEW.event_id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION detent.stamp_inbox() IS
    'Gives an event that was put in by a user''s transaction its time: that of the commit.';

CREATE CONSTRAINT TRIGGER inbox_stamp AFTER INSERT ON detent.inbox
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.event_time = 'infinity') EXECUTE FUNCTION detent.stamp_inbox();
COMMENT ON TRIGGER inbox_stamp ON detent.inbox IS
    'Concerns only rows of detent.send_event and detent.create_machine: all others have their time already.';

CREATE FUNCTION detent.next_no() RETURNS integer
    LANGUAGE plpgsql
AS $$
DECLARE
    no integer := coalesce(nullif(current_setting('detent.no', true), '')::integer, 0) + 1;
BEGIN
    PERFORM set_config('detent.no', no::text, true);
    RETURN no;
END
$$;
COMMENT ON FUNCTION detent.next_no() IS
    'Counts the events of a transaction, so that they keep their order should the clock not move between them.';

-- What the REST API refuses is refused here too, with the same words where they matter. What only the
-- definition's schema tells is found by the lane, which puts such an event among the dead letters.
CREATE FUNCTION detent.check_event(event json) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    fields jsonb;
    type text;
BEGIN
    IF event IS NULL OR json_typeof(event) <> 'object' THEN
        RAISE EXCEPTION 'event: not a JSON object' USING ERRCODE = 'DT010';
    END IF;
    IF octet_length(event::text) > 1048576 THEN
        RAISE EXCEPTION 'event: % bytes, at most 1048576', octet_length(event::text) USING ERRCODE = 'DT010';
    END IF;
    BEGIN
        fields := event::jsonb;
    EXCEPTION WHEN data_exception THEN
        RAISE EXCEPTION 'event: NUL, half a surrogate pair or a number beyond all limits' USING ERRCODE = 'DT010';
    END;
    IF (SELECT count(*) <> count(DISTINCT key) FROM json_object_keys(event) AS key) THEN
        RAISE EXCEPTION 'event: a key occurs twice' USING ERRCODE = 'DT010';
    END IF;
    type := CASE jsonb_typeof(fields -> 'type') WHEN 'string' THEN fields ->> 'type' END;
    IF coalesce(type, '') = '' OR octet_length(type) > 200 THEN
        RAISE EXCEPTION 'event: type must be a text of 1 to 200 bytes' USING ERRCODE = 'DT010';
    END IF;
    IF starts_with(type, 'xstate.') OR type = '*' THEN
        RAISE EXCEPTION 'event: type % is the engine''s own', type USING ERRCODE = 'DT010';
    END IF;
END
$$;
COMMENT ON FUNCTION detent.check_event(json) IS
    'Raises DT010 for what cannot be an event from outside.';

CREATE FUNCTION detent.send_event(machine_id text, event json, event_id text DEFAULT NULL, namespace text DEFAULT 'default')
    RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    b smallint := detent.bucket_of(send_event.namespace, send_event.machine_id);
    id text := 'c:' || coalesce(send_event.event_id, replace(gen_random_uuid()::text, '-', ''));
    known text;
BEGIN
    PERFORM detent.check_event(send_event.event);
    IF id !~ '^c:[!-~]{1,200}$' THEN
        RAISE EXCEPTION 'event_id: 1 to 200 visible ASCII characters' USING ERRCODE = 'DT010';
    END IF;
    PERFORM FROM detent.machine m
    WHERE m.bucket = b AND m.namespace = send_event.namespace AND m.machine_id = send_event.machine_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no machine %', send_event.machine_id USING ERRCODE = 'DT011';
    END IF;
    -- The same id again is the same event: it changes nothing, and must have the same content.
    SELECT h.event INTO known FROM detent.history_entry h
    WHERE h.bucket = b AND h.namespace = send_event.namespace AND h.machine_id = send_event.machine_id AND h.event_id = id;
    IF NOT FOUND THEN
        INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, event)
        VALUES (b, send_event.namespace, send_event.machine_id, id, 'infinity', detent.next_no(), send_event.event::text)
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            RETURN id;
        END IF;
        SELECT i.event INTO known FROM detent.inbox i
        WHERE i.bucket = b AND i.namespace = send_event.namespace AND i.machine_id = send_event.machine_id AND i.event_id = id;
    END IF;
    IF known::jsonb IS DISTINCT FROM send_event.event::jsonb THEN
        RAISE EXCEPTION 'event % was sent before with another content', send_event.event_id USING ERRCODE = 'DT012';
    END IF;
    RETURN id;
END
$$;
COMMENT ON FUNCTION detent.send_event(text, json, text, text) IS
    'Puts an event into a machine''s inbox as part of the calling transaction, and returns its id. Its time is that of the commit. The same event_id again changes nothing. Raises DT010 for a malformed event, DT011 for an unknown machine, DT012 for an event_id that has another content.';

CREATE FUNCTION detent.create_machine(
    machine_id text, definition text, input json DEFAULT NULL, version integer DEFAULT NULL,
    labels json DEFAULT '{}', namespace text DEFAULT 'default'
) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    b smallint := detent.bucket_of(create_machine.namespace, create_machine.machine_id);
    v integer;
    asked bytea := sha256(convert_to(jsonb_build_array(
        create_machine.definition, create_machine.version, create_machine.input::jsonb, create_machine.labels::jsonb)::text, 'UTF8'));
    known bytea;
BEGIN
    IF create_machine.machine_id !~ '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}$' THEN
        RAISE EXCEPTION 'machine_id: 1 to 200 of A-Z a-z 0-9 . _ : @ -, beginning with a letter or a digit' USING ERRCODE = 'DT010';
    END IF;
    IF json_typeof(create_machine.labels) <> 'object'
        OR EXISTS (SELECT FROM json_each(create_machine.labels) l WHERE json_typeof(l.value) <> 'string') THEN
        RAISE EXCEPTION 'labels: not an object of texts' USING ERRCODE = 'DT010';
    END IF;
    SELECT max(d.version) INTO v FROM detent.definition d
    WHERE d.namespace = create_machine.namespace AND d.name = create_machine.definition
        AND (create_machine.version IS NULL OR d.version = create_machine.version);
    IF v IS NULL THEN
        RAISE EXCEPTION 'there is no such definition %', concat_ws(' version ', create_machine.definition, create_machine.version)
            USING ERRCODE = 'DT011';
    END IF;
    INSERT INTO detent.machine (bucket, namespace, machine_id, definition, version, labels, fingerprint, created_by)
    VALUES (b, create_machine.namespace, create_machine.machine_id, create_machine.definition, v,
        create_machine.labels::text, asked, 'sql:' || session_user)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        INSERT INTO detent.inbox (bucket, namespace, machine_id, event_id, event_time, no, event)
        VALUES (b, create_machine.namespace, create_machine.machine_id, 'i:1', 'infinity', 0,
            CASE WHEN create_machine.input IS NULL THEN '{"type":"xstate.init"}'
                 ELSE '{"type":"xstate.init","input":' || create_machine.input::text || '}' END);
        RETURN true;
    END IF;
    SELECT m.fingerprint INTO known FROM detent.machine m
    WHERE m.bucket = b AND m.namespace = create_machine.namespace AND m.machine_id = create_machine.machine_id;
    IF known IS DISTINCT FROM asked THEN
        RAISE EXCEPTION 'machine % exists and was created otherwise', create_machine.machine_id USING ERRCODE = 'DT012';
    END IF;
    RETURN false;
END
$$;
COMMENT ON FUNCTION detent.create_machine(text, text, json, integer, json, text) IS
    'Creates a machine as part of the calling transaction; a worker starts it after the commit. Returns false when the same call has created it before. Raises DT010 for malformed arguments, DT011 for an unknown definition, DT012 for an id that was created otherwise.';

-- These functions run with their owner's rights, so that whoever may call them needs no rights on the
-- tables. Their owner should be no superuser: where one migrates, a role of their own is made, which
-- may do just this. And nobody may call them unless told so: GRANT EXECUTE ON FUNCTION ... TO ...
DO $$
BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'detent_door') THEN
            BEGIN
                CREATE ROLE detent_door NOLOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database of this server was migrated at the same time
            END;
        END IF;
        GRANT USAGE ON SCHEMA detent TO detent_door;
        GRANT SELECT, INSERT, UPDATE ON detent.inbox TO detent_door;
        GRANT SELECT, INSERT ON detent.machine TO detent_door;
        GRANT SELECT ON detent.history_entry, detent.definition TO detent_door;
        ALTER FUNCTION detent.stamp_inbox() OWNER TO detent_door;
        ALTER FUNCTION detent.send_event(text, json, text, text) OWNER TO detent_door;
        ALTER FUNCTION detent.create_machine(text, text, json, integer, json, text) OWNER TO detent_door;
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION
    detent.stamp_inbox(),
    detent.send_event(text, json, text, text),
    detent.create_machine(text, text, json, integer, json, text)
    FROM PUBLIC;
