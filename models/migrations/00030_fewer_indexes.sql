-- Indexes that only cost: a step's id is the hash of its node, iteration and
-- attempt, so its key is unique in them; and the events of an execution are
-- mostly external, so its key finds them as well.

-- +goose Up

DROP INDEX steps_once;
DROP INDEX events_external;

-- +goose Down

CREATE INDEX events_external ON events (workspace_id, execution_id, seq) WHERE NOT internal;
CREATE UNIQUE INDEX steps_once ON steps (workspace_id, execution_id, node_id, iteration, attempt);
