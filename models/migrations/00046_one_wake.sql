-- Whoever wakes a destination claims it for a moment, so that of all processes that
-- hear of a commit one does.

-- +goose Up

ALTER TABLE destinations ADD COLUMN woken_until timestamptz;

-- +goose Down

ALTER TABLE destinations DROP COLUMN woken_until;
