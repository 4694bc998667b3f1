DROP TRIGGER inbox_stamp ON detent.inbox;
DROP FUNCTION detent.create_machine(text, text, json, integer, json, text);
DROP FUNCTION detent.send_event(text, json, text, text);
DROP FUNCTION detent.check_event(json);
DROP FUNCTION detent.next_no();
DROP FUNCTION detent.stamp_inbox();
-- The role stays: another database of the server may use it.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'detent_door') THEN
        REVOKE ALL ON detent.inbox, detent.machine, detent.history_entry, detent.definition FROM detent_door;
        REVOKE ALL ON SCHEMA detent FROM detent_door;
    END IF;
END
$$;
