-- Starts and pokes are claimed from workspaces in turn: a look at this index finds
-- the next workspace that owes some, and what is due of it. The new index is there
-- before the former one goes, and neither locks the table.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS executions_owing ON executions (workspace_id, poke_at) WHERE poke_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS executions_owed;

-- +goose Down

CREATE INDEX CONCURRENTLY IF NOT EXISTS executions_owed ON executions (poke_at) WHERE poke_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS executions_owing;
