DROP FUNCTION detent.assert_count(text, bigint, bigint);
DROP FUNCTION detent.assert_due(timestamptz);
DROP FUNCTION detent.raise_late(jsonb);
DROP FUNCTION detent.fence(bigint, integer);
