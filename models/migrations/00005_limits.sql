-- What all processes share to hold callers to their rates.

-- +goose Up

-- Token buckets, one per class and subject. A bucket without a row is full, so
-- losing them all (they are unlogged) only gives every caller a full minute.
-- tokens may be below zero by what a limit may be overdrawn; granted is what
-- the last visit got, written so that one statement can both take and tell.
CREATE UNLOGGED TABLE rate_buckets (
    bucket    text PRIMARY KEY,
    tokens    double precision NOT NULL,
    granted   integer NOT NULL,
    filled_at timestamptz NOT NULL
);
-- The clearing away of buckets that nobody has visited for long.
CREATE INDEX rate_buckets_idle ON rate_buckets (filled_at);

-- Uses of a sliding hour, a row each.
CREATE TABLE rate_uses (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject text NOT NULL,
    at      timestamptz NOT NULL
);
-- The uses of a subject, oldest first; the clearing away goes by subject too.
CREATE INDEX rate_uses_by_subject ON rate_uses (subject, at);

-- +goose Down
DROP TABLE rate_uses;
DROP TABLE rate_buckets;
