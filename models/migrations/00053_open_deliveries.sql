-- What changes at every attempt moves out of deliveries: a row of open_deliveries
-- says when and where a delivery that has not ended is tried next. The wide rows of
-- deliveries have no index on anything that changes, so their updates touch none.

-- +goose Up

-- A delivery that has not ended. due_at is the time of the next attempt and stays
-- while one is under way; held_until is set exactly then. cause is the delivery's.
-- Whoever changes a delivery holds the lock of its row here.
CREATE TABLE open_deliveries (
    id             bigint PRIMARY KEY,
    destination_id text NOT NULL,
    origin         text NOT NULL,
    cause          text NOT NULL DEFAULT 'schedule',
    due_at         timestamptz NOT NULL,
    held_until     timestamptz
);
INSERT INTO open_deliveries (id, destination_id, origin, cause, due_at, held_until)
SELECT id, destination_id, origin, cause, due_at, held_until FROM deliveries WHERE state IN ('pending', 'sending');

-- The claim: due rows of an origin, oldest first.
CREATE INDEX open_deliveries_waiting ON open_deliveries (destination_id, origin, due_at, id) WHERE held_until IS NULL;
-- Whether anything of a destination is due, and when.
CREATE INDEX open_deliveries_due ON open_deliveries (destination_id, due_at) WHERE held_until IS NULL;
-- What an origin has under way, and holds that ran out.
CREATE INDEX open_deliveries_under_way ON open_deliveries (destination_id, origin, held_until) WHERE held_until IS NOT NULL;

-- A delivery goes with its execution, its message or its mail. A foreign key would
-- look at, and lock, the delivery of every row that is written here.
-- +goose StatementBegin
CREATE FUNCTION remove_open_delivery() RETURNS trigger
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        DELETE FROM open_deliveries WHERE id = OLD.id;
        RETURN NULL;
    END $$;
-- +goose StatementEnd
CREATE TRIGGER remove_open AFTER DELETE ON deliveries FOR EACH ROW EXECUTE FUNCTION remove_open_delivery();

-- interrupted counts how often in a row the process died during the attempt.
ALTER TABLE deliveries ADD COLUMN interrupted integer NOT NULL DEFAULT 0;

-- A claim looks at no more origins than it needs and goes on behind next_origin, so
-- that its cost does not grow with how many wait. NULL: the last claim saw them all;
-- empty: it came to the end and began behind another one.
ALTER TABLE destinations ADD COLUMN next_origin text;

DROP FUNCTION destination_due(text);
DROP FUNCTION waiting_origins(text);

-- The origins of a destination that deliveries wait for, from the first behind
-- another one on: how many more requests each may have under way, and when its next
-- row may be claimed. An origin that failed five times in a row is slow: one
-- request, 200 ms after the last failure. It stops behind as many origins as wanted
-- of which a row may be claimed now, or behind a thousand; stopped marks the last
-- one if there are others behind it. Many small statements whose plans are kept cost a fifth of one large
-- one, and they shall not be planned for a table that is empty at the moment.
-- +goose StatementBegin
CREATE FUNCTION waiting_origins(destination text, behind text, wanted bigint)
    RETURNS TABLE (origin text, slow boolean, room bigint, ready_at timestamptz, stopped boolean)
    LANGUAGE plpgsql STABLE ROWS 4 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    DECLARE
        health origins%ROWTYPE;
        paced timestamptz;
        moment timestamptz := clock_timestamp();
        found_origin text;
        found_due timestamptz;
        claimable bigint := 0;
        looks integer := 0;
    BEGIN
        SELECT k.paced_until INTO paced FROM destinations k WHERE k.id = destination;
        IF behind = '' THEN
            SELECT w.origin, w.due_at INTO found_origin, found_due FROM open_deliveries w
            WHERE w.destination_id = destination AND w.held_until IS NULL
            ORDER BY w.origin, w.due_at LIMIT 1;
        ELSE
            SELECT w.origin, w.due_at INTO found_origin, found_due FROM open_deliveries w
            WHERE w.destination_id = destination AND w.held_until IS NULL AND w.origin > behind
            ORDER BY w.origin, w.due_at LIMIT 1;
        END IF;
        WHILE found_origin IS NOT NULL LOOP
            origin := found_origin;
            SELECT * INTO health FROM origins o WHERE o.destination_id = destination AND o.origin = waiting_origins.origin;
            slow := coalesce(health.failures >= 5, false);
            SELECT CASE WHEN waiting_origins.slow THEN 1 ELSE coalesce(health.room, 2) END - count(*) INTO room FROM open_deliveries s
            WHERE s.destination_id = destination AND s.origin = waiting_origins.origin AND s.held_until IS NOT NULL;
            ready_at := greatest(found_due, CASE WHEN slow THEN health.failed_at + interval '200 milliseconds' END, paced);
            looks := looks + 1;
            claimable := claimable + CASE WHEN room > 0 AND ready_at <= moment THEN 1 ELSE 0 END;
            SELECT w.origin, w.due_at INTO found_origin, found_due FROM open_deliveries w
            WHERE w.destination_id = destination AND w.held_until IS NULL AND w.origin > waiting_origins.origin
            ORDER BY w.origin, w.due_at LIMIT 1;
            stopped := found_origin IS NOT NULL AND (claimable >= wanted OR looks >= 1000);
            RETURN NEXT;
            EXIT WHEN stopped;
        END LOOP;
    END $$;
-- +goose StatementEnd

-- When a destination next wants its run: a row that may be claimed, the end of a
-- hold, or rows that a cancellation has to end, due since then. NULL when nothing
-- waits and nothing is under way. It stops at the first origin that was ready by
-- the given time: there may be an earlier one.
-- +goose StatementBegin
CREATE FUNCTION destination_due(destination text, by_time timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    DECLARE
        due timestamptz;
        ready timestamptz;
        behind text := '';
        cut destinations%ROWTYPE;
    BEGIN
        SELECT min(s.held_until) INTO due FROM open_deliveries s WHERE s.destination_id = destination AND s.held_until IS NOT NULL;
        SELECT * INTO cut FROM destinations k WHERE k.id = destination;
        SELECT min(w.due_at) INTO ready FROM open_deliveries w WHERE w.destination_id = destination AND w.held_until IS NULL;
        IF ready > clock_timestamp() THEN
            due := least(due, greatest(ready, cut.paced_until));
        ELSIF ready IS NOT NULL THEN
            LOOP
                SELECT min(w.ready_at) FILTER (WHERE w.room > 0), max(w.origin) FILTER (WHERE w.stopped) INTO ready, behind
                FROM waiting_origins(destination, behind, 1) w;
                due := least(due, ready);
                EXIT WHEN behind IS NULL OR ready <= by_time;
            END LOOP;
        END IF;
        IF cut.cut_id IS NOT NULL AND EXISTS (SELECT FROM open_deliveries w WHERE w.destination_id = destination AND w.held_until IS NULL
                                              AND cut_off(w.id, w.cause, cut.cut_id, cut.cut_class)) THEN
            due := least(due, cut.cut_at);
        END IF;
        RETURN due;
    END $$;
-- +goose StatementEnd

ALTER TABLE deliveries DROP COLUMN due_at, DROP COLUMN held_until, DROP COLUMN origin;
-- A claim changes all rows of a page at once: each has room for its next version there.
ALTER TABLE deliveries SET (fillfactor = 50);

-- +goose Down

ALTER TABLE deliveries SET (fillfactor = 70);
ALTER TABLE deliveries ADD COLUMN due_at timestamptz, ADD COLUMN held_until timestamptz, ADD COLUMN origin text NOT NULL DEFAULT '';
UPDATE deliveries d SET due_at = w.due_at, held_until = w.held_until, origin = w.origin FROM open_deliveries w WHERE w.id = d.id;
ALTER TABLE deliveries ALTER COLUMN origin DROP DEFAULT;

DROP TRIGGER remove_open ON deliveries;
DROP FUNCTION remove_open_delivery();
DROP FUNCTION destination_due(text, timestamptz);
DROP FUNCTION waiting_origins(text, text, bigint);
DROP TABLE open_deliveries;
ALTER TABLE deliveries DROP COLUMN interrupted;
ALTER TABLE destinations DROP COLUMN next_origin;
-- +goose StatementBegin
CREATE FUNCTION waiting_origins(destination text)
    RETURNS TABLE (origin text, slow boolean, room bigint, ready_at timestamptz)
    LANGUAGE plpgsql STABLE ROWS 4 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    DECLARE
        health origins%ROWTYPE;
        paced timestamptz;
    BEGIN
        SELECT k.paced_until INTO paced FROM destinations k WHERE k.id = destination;
        SELECT d.origin, d.due_at INTO origin, ready_at FROM deliveries d
        WHERE d.destination_id = destination AND d.state = 'pending' ORDER BY d.origin, d.due_at LIMIT 1;
        WHILE FOUND LOOP
            SELECT * INTO health FROM origins o WHERE o.destination_id = destination AND o.origin = waiting_origins.origin;
            slow := coalesce(health.failures >= 5, false);
            SELECT CASE WHEN waiting_origins.slow THEN 1 ELSE coalesce(health.room, 2) END - count(*) INTO room FROM deliveries s
            WHERE s.destination_id = destination AND s.origin = waiting_origins.origin AND s.state = 'sending';
            ready_at := greatest(ready_at, CASE WHEN slow THEN health.failed_at + interval '200 milliseconds' END, paced);
            RETURN NEXT;
            SELECT d.origin, d.due_at INTO origin, ready_at FROM deliveries d
            WHERE d.destination_id = destination AND d.state = 'pending' AND d.origin > waiting_origins.origin
            ORDER BY d.origin, d.due_at LIMIT 1;
        END LOOP;
    END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION destination_due(destination text) RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    DECLARE
        due timestamptz;
        cut destinations%ROWTYPE;
    BEGIN
        SELECT least(min(w.ready_at), (SELECT min(d.held_until) FROM deliveries d WHERE d.destination_id = destination AND d.state = 'sending'))
        INTO due FROM waiting_origins(destination) w WHERE w.room > 0;
        SELECT * INTO cut FROM destinations k WHERE k.id = destination;
        IF cut.cut_id IS NOT NULL AND EXISTS (SELECT FROM deliveries d WHERE d.destination_id = destination AND d.state = 'pending'
                                              AND cut_off(d.id, d.cause, cut.cut_id, cut.cut_class)) THEN
            due := least(due, cut.cut_at);
        END IF;
        RETURN due;
    END $$;
-- +goose StatementEnd
