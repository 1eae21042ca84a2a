-- A delivery that is queued anew is not covered by what ended it before, and a
-- message says whom it is not for.

-- +goose Up

-- Which cancellations cover a row that was queued anew: those that are set later.
-- NULL: its id counts. Both come from one sequence.
ALTER TABLE open_deliveries ADD COLUMN number bigint;

-- about is the endpoint that a message speaks of and that never gets it, test
-- whether it only tries an endpoint out. Of messages from before this is not known.
ALTER TABLE messages ADD COLUMN about text, ADD COLUMN test boolean NOT NULL DEFAULT false;

-- As before, by the number of rows that were queued anew.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION destination_due(destination text, by_time timestamptz) RETURNS timestamptz
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
                                              AND cut_off(coalesce(w.number, w.id), w.cause, cut.cut_id, cut.cut_class)) THEN
            due := least(due, cut.cut_at);
        END IF;
        RETURN due;
    END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION destination_due(destination text, by_time timestamptz) RETURNS timestamptz
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
ALTER TABLE messages DROP COLUMN test, DROP COLUMN about;
ALTER TABLE open_deliveries DROP COLUMN number;
