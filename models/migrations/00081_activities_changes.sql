-- What an edit changed is kept with the record of it.

-- +goose Up

-- changes is {field: {from, to}}; nothing where something was added.
ALTER TABLE activities ADD COLUMN changes json;

-- +goose Down

ALTER TABLE activities DROP COLUMN changes;
