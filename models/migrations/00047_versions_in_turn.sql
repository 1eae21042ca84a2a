-- Versions are claimed from workspaces in turn: a look at the first index finds the
-- next workspace with accepted ones, and the oldest of it; the second has those in
-- work that are due again. Neither locks the table.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS source_versions_accepted ON source_versions (workspace_id, started_at, source_id) WHERE state = 'accepted';
CREATE INDEX CONCURRENTLY IF NOT EXISTS source_versions_driven ON source_versions (drive_after) WHERE state = 'staging';

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS source_versions_accepted;
DROP INDEX CONCURRENTLY IF EXISTS source_versions_driven;
