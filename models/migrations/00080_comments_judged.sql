-- Whether a comment has said something and so got a judgment, which it may have lost to
-- others since: an edit makes none then. Of comments from before this is not known.

-- +goose Up

ALTER TABLE comments ADD COLUMN judged boolean NOT NULL DEFAULT true;

-- +goose Down

ALTER TABLE comments DROP COLUMN judged;
