-- Deliveries, and what the engine of deliveries keeps about where they go. The body
-- for a receiver is made from its event each time, so no row holds one.

-- +goose Up

-- A destination is served by one run of the engine. Receivers of executions
-- share 16 of them per workspace, by hash of their origin, so that no number of
-- addresses makes more runs; an endpoint has its own, under its own id, and mails
-- have one per workspace. driver is the activity that draws at the moment,
-- driven_until the end of its lease: only a driver writes them, wakers read. Rows
-- numbered cut_id and below end with cut_class instead of being sent, since cut_at:
-- what waited when an endpoint was deleted or disabled, or webhooks were switched
-- off. paced_until is how fast a destination is told: its driver alone writes it,
-- under the lock of the row, so a new driver goes on where the one before it stopped.
CREATE TABLE destinations (
    id           text PRIMARY KEY,
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind         text NOT NULL CHECK (kind IN ('receiver', 'endpoint', 'mail')),
    slot         smallint CHECK (slot BETWEEN 0 AND 15),
    driver       text,
    driven_until timestamptz,
    cut_id       bigint,
    cut_class    text,
    cut_at       timestamptz,
    paced_until  timestamptz,
    CONSTRAINT destinations_slot UNIQUE (workspace_id, kind, slot),
    CONSTRAINT destinations_slot_of_kind CHECK ((slot IS NULL) = (kind = 'endpoint')),
    CONSTRAINT destinations_cut CHECK (num_nulls(cut_id, cut_class, cut_at) IN (0, 3))
) WITH (fillfactor = 50);

-- How an origin (scheme, host, port) behind a destination does: how many
-- requests it may have under way, and its failures in a row. A row is there
-- only while deliveries wait for the origin; without one the start values count.
CREATE TABLE origins (
    destination_id text NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
    origin         text NOT NULL,
    room           integer NOT NULL CHECK (room BETWEEN 1 AND 50),
    failures       integer NOT NULL CHECK (failures >= 0),
    failed_at      timestamptz,
    failing_since  timestamptz,
    last_class     text NOT NULL,
    PRIMARY KEY (destination_id, origin)
) WITH (fillfactor = 70);

-- A domain, since a condition of a table is read from its text by every statement
-- that writes.
CREATE DOMAIN delivery_state AS text CHECK (VALUE IN ('pending', 'sending', 'delivered', 'dead', 'refused'));

-- One row for an event and its receiver, for a message and an endpoint, or for a
-- mail. cause tells why its schedule began. Endpoints and mails have no origin of
-- their own: the destination is one. attempt counts the attempts begun,
-- interrupted ones too, so the next one's number on the wire is its value;
-- round counts the failures since the schedule began. due_at is the time of
-- the next attempt and stays while one is under way; held_until is set exactly
-- then. class is that of the last outcome.
CREATE TABLE deliveries (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id   text NOT NULL,
    destination_id text NOT NULL,
    origin         text NOT NULL,
    execution_id   text,
    seq            bigint,
    state          delivery_state NOT NULL DEFAULT 'pending',
    attempt        integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    round          integer NOT NULL DEFAULT 0 CHECK (round >= 0),
    due_at         timestamptz,
    begun_at       timestamptz,
    held_until     timestamptz,
    class          text,
    message_id     text,
    mail_id        text,
    cause          text NOT NULL DEFAULT 'schedule' CHECK (cause IN ('schedule', 'resend', 'recover', 'test')),
    CONSTRAINT deliveries_once UNIQUE (workspace_id, execution_id, seq),
    FOREIGN KEY (workspace_id, execution_id) REFERENCES executions (workspace_id, id) ON DELETE CASCADE,
    CHECK ((held_until IS NULL) = (state <> 'sending')),
    CONSTRAINT deliveries_due CHECK ((due_at IS NOT NULL) = (state = 'pending' OR state = 'sending')),
    CONSTRAINT deliveries_subject CHECK (num_nonnulls(execution_id, message_id, mail_id) = 1 AND (execution_id IS NULL) = (seq IS NULL))
) WITH (fillfactor = 70);

-- The draw: due rows of an origin, oldest first; the next due time; the sweep.
CREATE INDEX deliveries_waiting ON deliveries (destination_id, origin, due_at, id) WHERE state = 'pending';
-- What an origin has under way, and holds that ran out.
CREATE INDEX deliveries_under_way ON deliveries (destination_id, origin, held_until) WHERE state = 'sending';
CREATE UNIQUE INDEX deliveries_of_message ON deliveries (message_id, destination_id) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX deliveries_of_mail ON deliveries (mail_id) WHERE mail_id IS NOT NULL;

-- Attempts that ended. One under way stands in its delivery's row. There is no
-- foreign key: rows are written in bulk and removed by age.
CREATE TABLE delivery_attempts (
    delivery_id  bigint NOT NULL,
    attempt      integer NOT NULL,
    id           text NOT NULL,
    workspace_id text NOT NULL,
    at           timestamptz NOT NULL,
    class        text NOT NULL,
    http_status  integer,
    duration_ms  integer CHECK (duration_ms >= 0),
    PRIMARY KEY (delivery_id, attempt)
);
-- Removal by age; rows are written in the order of their time, so a summary of
-- each range of pages is enough.
CREATE INDEX delivery_attempts_by_age ON delivery_attempts USING brin (at);

-- The origins of a destination that deliveries wait for: how many more requests
-- each may have under way, and when its next row may be drawn. An origin that
-- failed five times in a row is slow: one request, 200 ms after the last failure.
-- It walks from origin to origin by the index, so many rows of one origin cost
-- no more than one.
-- +goose StatementBegin
CREATE FUNCTION waiting_origins(destination text)
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

-- When a destination next wants its run: a row that may be drawn, or the end of
-- a hold. NULL when nothing waits and nothing is under way.
-- +goose StatementBegin
CREATE FUNCTION destination_due(destination text) RETURNS timestamptz
    LANGUAGE sql STABLE
    AS $$
    SELECT least((SELECT min(w.ready_at) FROM waiting_origins(destination) w WHERE w.room > 0),
                 (SELECT min(d.held_until) FROM deliveries d WHERE d.destination_id = destination AND d.state = 'sending'))
    $$;
-- +goose StatementEnd

-- +goose Down

DROP FUNCTION destination_due(text);
DROP FUNCTION waiting_origins(text);

DROP TABLE delivery_attempts;
DROP TABLE deliveries;
DROP DOMAIN delivery_state;
DROP TABLE origins;
DROP TABLE destinations;
