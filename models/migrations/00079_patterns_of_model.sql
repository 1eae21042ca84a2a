-- By vectors of which model the patterns of a workspace were looked for last. While another
-- one serves they are to be looked for again; such workspaces are found by the index.

-- +goose NO TRANSACTION
-- +goose Up

ALTER TABLE pattern_runs ADD COLUMN IF NOT EXISTS model text NOT NULL DEFAULT '';
CREATE INDEX CONCURRENTLY IF NOT EXISTS pattern_runs_of_model ON pattern_runs (model);

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS pattern_runs_of_model;
ALTER TABLE pattern_runs DROP COLUMN IF EXISTS model;
