-- What of a destination's rows ends instead of being sent, and when it next wants
-- its run, its pace and its cut included.

-- +goose Up

-- Whether a row that waits behind a cut ends with it: a test of an endpoint that
-- was merely disabled is still sent.
-- +goose StatementBegin
CREATE FUNCTION cut_off(id bigint, cause text, cut_id bigint, cut_class text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT coalesce(id <= cut_id AND (cause <> 'test' OR cut_class <> 'endpoint-disabled'), false) $$;
-- +goose StatementEnd

-- Why nothing but maybe tests is sent to an endpoint; NULL while it is served.
-- +goose StatementBegin
CREATE FUNCTION endpoint_closed(endpoint text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT CASE WHEN e.deleted_at IS NOT NULL THEN 'endpoint-deleted' WHEN NOT coalesce(s.enabled, false) THEN 'webhooks-disabled'
                WHEN e.disabled THEN 'endpoint-disabled' END
    FROM endpoints e LEFT JOIN webhook_settings s ON s.workspace_id = e.workspace_id WHERE e.id = endpoint
    $$;
-- +goose StatementEnd

-- The pause before the next attempt, of seconds: as scheduled, longer where a
-- least pause or the endpoint asks for it, who is believed up to an hour or twice
-- the scheduled pause.
-- +goose StatementBegin
CREATE FUNCTION pause_after(scheduled float8, least_pause float8, asked float8) RETURNS interval
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT make_interval(secs => greatest(scheduled, least_pause, least(asked, greatest(3600, 2 * scheduled)))) $$;
-- +goose StatementEnd

-- As before, and no row of a destination may be drawn before paced_until. Many
-- small statements whose plans are kept cost a fifth of one large one, and they
-- shall not be planned for a table that is empty at the moment.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION waiting_origins(destination text)
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

-- As before, and rows that a cut has to end are due since the cut.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION destination_due(destination text) RETURNS timestamptz
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

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION destination_due(destination text) RETURNS timestamptz
    LANGUAGE sql STABLE
    AS $$
    SELECT least((SELECT min(w.ready_at) FROM waiting_origins(destination) w WHERE w.room > 0),
                 (SELECT min(d.held_until) FROM deliveries d WHERE d.destination_id = destination AND d.state = 'sending'))
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION waiting_origins(destination text)
    RETURNS TABLE (origin text, slow boolean, room bigint, ready_at timestamptz)
    LANGUAGE sql STABLE ROWS 4
    AS $$
    WITH RECURSIVE waiting (origin) AS (
        SELECT min(d.origin) FROM deliveries d WHERE d.destination_id = destination AND d.state = 'pending'
        UNION ALL
        SELECT (SELECT min(d.origin) FROM deliveries d
                WHERE d.destination_id = destination AND d.state = 'pending' AND d.origin > w.origin)
        FROM waiting w WHERE w.origin IS NOT NULL
    )
    SELECT w.origin, coalesce(o.failures >= 5, false),
           CASE WHEN o.failures >= 5 THEN 1 ELSE coalesce(o.room, 2) END
           - (SELECT count(*) FROM deliveries s WHERE s.destination_id = destination AND s.origin = w.origin AND s.state = 'sending'),
           greatest((SELECT min(d.due_at) FROM deliveries d
                     WHERE d.destination_id = destination AND d.origin = w.origin AND d.state = 'pending'),
                    CASE WHEN o.failures >= 5 THEN o.failed_at + interval '200 milliseconds' END)
    FROM waiting w LEFT JOIN origins o ON o.destination_id = destination AND o.origin = w.origin
    WHERE w.origin IS NOT NULL
    $$;
-- +goose StatementEnd
DROP FUNCTION pause_after(float8, float8, float8);
DROP FUNCTION endpoint_closed(text);
DROP FUNCTION cut_off(bigint, text, bigint, text);
