-- Recoveries: what an endpoint missed in a window of time is queued again, by a job,
-- behind everything else that waits for the endpoint.

-- +goose NO TRANSACTION
-- +goose Up

ALTER TABLE jobs DROP CONSTRAINT IF EXISTS jobs_kind_check,
    ADD CONSTRAINT jobs_kind_check CHECK (kind IN ('migration', 'removal', 'detection', 'recover')) NOT VALID;
ALTER TABLE jobs VALIDATE CONSTRAINT jobs_kind_check;

-- behind is the last message that was looked at, examined how many of the window these
-- were, requeued how many of them were queued again. An endpoint has one open.
CREATE TABLE IF NOT EXISTS recoveries (
    id           text PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    workspace_id text NOT NULL,
    endpoint_id  text NOT NULL,
    since        timestamptz NOT NULL,
    until        timestamptz NOT NULL,
    behind       text NOT NULL DEFAULT '',
    examined     bigint NOT NULL DEFAULT 0,
    requeued     bigint NOT NULL DEFAULT 0,
    open         boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX IF NOT EXISTS recoveries_open ON recoveries (endpoint_id) WHERE open;

-- As before, and what is recovered for an endpoint waits under an origin of its own,
-- which shares the window of the endpoint.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION waiting_origins(destination text, behind text, wanted bigint)
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
        lanes text[];
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
            lanes := CASE WHEN origin IN ('', 'recovered') THEN ARRAY['', 'recovered'] ELSE ARRAY[origin] END;
            SELECT * INTO health FROM origins o WHERE o.destination_id = destination AND o.origin = lanes[1];
            slow := coalesce(health.failures >= 5, false);
            SELECT CASE WHEN waiting_origins.slow THEN 1 ELSE coalesce(health.room, 2) END - count(*) INTO room FROM open_deliveries s
            WHERE s.destination_id = destination AND s.origin = ANY (lanes) AND s.held_until IS NOT NULL;
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

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION waiting_origins(destination text, behind text, wanted bigint)
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
UPDATE open_deliveries SET origin = '' WHERE origin = 'recovered';
DROP TABLE IF EXISTS recoveries;
DELETE FROM jobs WHERE kind = 'recover';
ALTER TABLE jobs DROP CONSTRAINT IF EXISTS jobs_kind_check,
    ADD CONSTRAINT jobs_kind_check CHECK (kind IN ('migration', 'removal', 'detection')) NOT VALID;
ALTER TABLE jobs VALIDATE CONSTRAINT jobs_kind_check;
