-- What everything else stands on: the rule that places a machine, the rules for ids, and the cast by
-- which people read payloads. The schema itself is made by the program that runs migrations, together
-- with the table that says which of them ran.

DO $$
BEGIN
    -- Ids are hashed by their UTF-8 bytes, here and in the program: another encoding would place
    -- machines elsewhere.
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'database % has encoding %, Detent needs UTF8',
            current_database(), current_setting('server_encoding')
            USING HINT = 'CREATE DATABASE ... ENCODING ''UTF8'' TEMPLATE template0';
    END IF;
END
$$;

-- convert_to is STABLE only because a database's encoding is not part of its arguments; the encoding
-- was checked above and cannot change, so IMMUTABLE is the truth. It keeps a function in SQL from being
-- inlined, though, and starting one for each call takes twice as long as PL/pgSQL does. Names are
-- written in full, so that no caller's search_path can change the meaning.
CREATE FUNCTION detent.bucket_of(namespace text, machine_id text) RETURNS smallint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
BEGIN
    RETURN pg_catalog.get_byte(
        pg_catalog.sha256(
            pg_catalog.convert_to(namespace, 'UTF8') OPERATOR(pg_catalog.||) '\x00'::pg_catalog.bytea
            OPERATOR(pg_catalog.||) pg_catalog.convert_to(pg_catalog.split_part(machine_id, '/', 1), 'UTF8')
        ),
        0
    );
END
$$;
COMMENT ON FUNCTION detent.bucket_of(text, text) IS
    'The bucket of a machine''s family: the first byte of sha256(namespace, 0, root id), where the root id is what stands before the first "/". It never changes.';

-- The rules are inlined into the checks of tables, which STRICT would prevent. Lengths are checked
-- beside the patterns: a pattern that counts to 200 takes forty times as long.
CREATE FUNCTION detent.is_machine_id(id text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (id COLLATE "C") ~ '^[A-Za-z0-9][A-Za-z0-9._:@-]*(/[!-.0-}]+~[0-9]+)*$'
        AND octet_length(split_part(id, '/', 1)) <= 200
        AND octet_length(id) <= 1000;
COMMENT ON FUNCTION detent.is_machine_id(text) IS
    'Reports whether a text can be a machine''s id: a root id of up to 200 characters, then "/name~seq" for each generation of children, 1000 bytes in all.';

CREATE FUNCTION detent.is_name(name text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (name COLLATE "C") ~ '^[A-Za-z0-9][A-Za-z0-9._:@-]*$' AND octet_length(name) <= 200;
COMMENT ON FUNCTION detent.is_name(text) IS
    'Reports whether a text can be the name of a namespace or of a definition.';

-- An index entry has to fit into a third of a page: namespace, machine id and event id together stay
-- below 2,700 bytes.
CREATE FUNCTION detent.is_event_id(id text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN octet_length(id) BETWEEN 1 AND 1300 AND (id COLLATE "C") !~ '[[:cntrl:]]';
COMMENT ON FUNCTION detent.is_event_id(text) IS
    'Reports whether a text can be the id of an event: up to 1300 bytes, no control characters.';

-- Payloads are JSON that the program wrote, kept as text because writing jsonb costs more and changes
-- bytes. jsonb cannot hold U+0000 (nor half of a surrogate pair), JSON can: one such payload must not
-- make a whole view unreadable. So U+0000 is shown as U+FFFD, and what jsonb still refuses as the text
-- that it is. The exception block costs a subtransaction, hence the short cut for the usual case.
CREATE FUNCTION detent.readable(document text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE STRICT
AS $$
BEGIN
    IF strpos(document, '\u') = 0 THEN
        RETURN document::jsonb;
    END IF;
    RETURN regexp_replace(document, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g')::jsonb;
EXCEPTION WHEN data_exception THEN
    RETURN to_jsonb(document);
END
$$;
COMMENT ON FUNCTION detent.readable(text) IS
    'A stored JSON text as jsonb, for reading: U+0000, which jsonb cannot hold, becomes U+FFFD, and what it cannot hold otherwise is shown as text.';
