DROP FUNCTION detent.readable(text);
DROP FUNCTION detent.is_event_id(text);
DROP FUNCTION detent.is_name(text);
DROP FUNCTION detent.is_machine_id(text);
DROP FUNCTION detent.bucket_of(text, text);
