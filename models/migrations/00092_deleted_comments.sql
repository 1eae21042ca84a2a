-- Comments are deleted one by one.

-- +goose Up

-- gone_seq is the highest number that a deleted comment had, 0 for none: the next comment
-- has a higher one, so that nobody has read it.
ALTER TABLE annotations ADD COLUMN gone_seq bigint NOT NULL DEFAULT 0;

-- +goose Down

ALTER TABLE annotations DROP COLUMN gone_seq;
