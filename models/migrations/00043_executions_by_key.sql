-- The ids of executions begin with the time of their start, so the key has them in
-- the order of a list, and what else is listed has an index of its own: this one
-- only made every write dearer.

-- +goose Up

DROP INDEX executions_newest;

-- +goose Down

CREATE INDEX executions_newest ON executions (workspace_id, started_at DESC, id DESC);
