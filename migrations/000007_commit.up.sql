-- What a lane's transaction asserts. Its statements are sent at once, without waiting for answers, so
-- whatever must stop it has to be raised in here. The SQLSTATEs are ours: class DT.

CREATE FUNCTION detent.fence(owner bigint, lane integer) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    -- KEY SHARE lets other commits of the process pass and makes the DELETE of a takeover wait. A plain
    -- SELECT would not do: a takeover could slip between the look and the commit.
    PERFORM FROM detent.owner_fence f
    WHERE f.owner_id = fence.owner AND f.lane = fence.lane
    FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'owner % has lost its leases', fence.owner USING ERRCODE = 'DT001';
    END IF;
END
$$;
COMMENT ON FUNCTION detent.fence(bigint, integer) IS
    'Holds the right of an owner''s lane to commit until the transaction ends; raises DT001 when it was taken away.';

CREATE FUNCTION detent.raise_late(machines jsonb) RETURNS void
    LANGUAGE plpgsql STRICT
AS $$
BEGIN
    RAISE EXCEPTION 'events came in late for % machines', jsonb_array_length(machines)
        USING ERRCODE = 'DT002', DETAIL = machines::text;
END
$$;
COMMENT ON FUNCTION detent.raise_late(jsonb) IS
    'Raises DT002 with the machines, a JSON array of [namespace, machine id], as its detail; does nothing with NULL.';

CREATE FUNCTION detent.assert_due(deadline timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql
AS $$
DECLARE
    reading timestamptz := clock_timestamp();
BEGIN
    IF deadline > reading THEN
        RAISE EXCEPTION 'deadline % has not come yet, it is %', deadline, reading USING ERRCODE = 'DT003';
    END IF;
    RETURN reading;
END
$$;
COMMENT ON FUNCTION detent.assert_due(timestamptz) IS
    'The clock; raises DT003 when it has not reached the latest deadline that fired (NULL when none did).';

CREATE FUNCTION detent.assert_count(what text, expected bigint, hit bigint) RETURNS void
    LANGUAGE plpgsql STRICT
AS $$
BEGIN
    IF hit <> expected THEN
        RAISE EXCEPTION '%: % rows expected, % found', what, expected, hit
            USING ERRCODE = 'DT004', TABLE = what;
    END IF;
END
$$;
COMMENT ON FUNCTION detent.assert_count(text, bigint, bigint) IS
    'Raises DT004 when a statement did not hit just the rows that it had to.';
