-- Removes all rows and lets sequences begin again. How many rows it removed is left in the
-- setting pgtest.removed.
DO $$
DECLARE
    name regclass;
    has_rows boolean;
    removed bigint;
    total bigint := 0;
BEGIN
    SET LOCAL session_replication_role = replica; -- neither references nor triggers say no
    FOR name IN SELECT oid FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'goose_db_version'
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', name) INTO has_rows;
        IF has_rows THEN
            EXECUTE format('DELETE FROM %s', name);
            GET DIAGNOSTICS removed = ROW_COUNT;
            total := total + removed;
        END IF;
    END LOOP;
    PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
    PERFORM set_config('pgtest.removed', total::text, false);
END $$;
