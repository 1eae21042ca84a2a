-- One PUT at a time has the turn of an address.

-- +goose Up

-- put_by is the PUT that has the turn, until put_until unless it asks for it again.
ALTER TABLE uploads ADD COLUMN put_by text, ADD COLUMN put_until timestamptz;

-- +goose Down

ALTER TABLE uploads DROP COLUMN put_by, DROP COLUMN put_until;
