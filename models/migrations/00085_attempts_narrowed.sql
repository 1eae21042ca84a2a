-- Attempts at an endpoint are also listed by their outcome. Such a page is read by an
-- index of its own, however many attempts between its rows went otherwise: millions of
-- good ones may stand between two that failed.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoint_attempts_of_class ON endpoint_attempts (workspace_id, endpoint_id, class, started_at DESC, id DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoint_attempts_failed ON endpoint_attempts (workspace_id, endpoint_id, started_at DESC, id DESC) WHERE NOT succeeded;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS endpoint_attempts_failed;
DROP INDEX CONCURRENTLY IF EXISTS endpoint_attempts_of_class;
