-- Which rows use the vector of a text: it goes with the last of them.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS chunks_text ON chunks (workspace_id, text_hash) WHERE text_hash IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS rules_text ON rules (workspace_id, text_hash) WHERE text_hash IS NOT NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS rules_text;
DROP INDEX CONCURRENTLY IF EXISTS chunks_text;
