-- Figures that are dear to count: of all processes one counts each of them, and the
-- others read what it found.

-- +goose Up

-- due_at is when it is counted next; found is what was counted last.
CREATE TABLE figures (
    name   text PRIMARY KEY,
    due_at timestamptz NOT NULL,
    found  jsonb
);

-- The key under which a value is sealed, by the bytes of its name: NULL for what is
-- too short to have been sealed. Nothing but its argument decides about it, so
-- Postgres puts its text where it is called.
-- +goose StatementBegin
CREATE FUNCTION sealed_under(sealed bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN octet_length(sealed) > 1 THEN substring(sealed, 3, get_byte(sealed, 1)) END $$;
-- +goose StatementEnd

-- +goose Down

DROP FUNCTION sealed_under(bytea);
DROP TABLE figures;
