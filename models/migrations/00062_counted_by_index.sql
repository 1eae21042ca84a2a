-- What is counted again and again is read from an index: since when the oldest
-- execution is owed a start or a poke, and how many values are sealed or hashed
-- with each key. None of them locks its table.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS executions_owed_since ON executions ((CASE WHEN run_started THEN poke_at ELSE started_at END))
    WHERE poke_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS executions_receivers_sealed ON executions (sealed_under(receiver_secret)) WHERE receiver_secret IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS executions_auth_sealed ON executions (sealed_under(webhook_auth)) WHERE webhook_auth IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS definition_versions_sealed ON definition_versions (sealed_under(receiver_secret))
    WHERE receiver_secret IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoint_secrets_sealed ON endpoint_secrets (sealed_under(secret_sealed));
CREATE INDEX CONCURRENTLY IF NOT EXISTS email_settings_sealed ON email_settings (sealed_under(password_sealed)) WHERE password_sealed IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS workspaces_sealed ON workspaces (sealed_under(token_sealed));
CREATE INDEX CONCURRENTLY IF NOT EXISTS workspaces_hashed ON workspaces (hash_key_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_tokens_sealed ON auth_tokens (sealed_under(token_sealed));
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_tokens_hashed ON auth_tokens (hash_key_id);

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS auth_tokens_hashed;
DROP INDEX CONCURRENTLY IF EXISTS auth_tokens_sealed;
DROP INDEX CONCURRENTLY IF EXISTS workspaces_hashed;
DROP INDEX CONCURRENTLY IF EXISTS workspaces_sealed;
DROP INDEX CONCURRENTLY IF EXISTS email_settings_sealed;
DROP INDEX CONCURRENTLY IF EXISTS endpoint_secrets_sealed;
DROP INDEX CONCURRENTLY IF EXISTS definition_versions_sealed;
DROP INDEX CONCURRENTLY IF EXISTS executions_auth_sealed;
DROP INDEX CONCURRENTLY IF EXISTS executions_receivers_sealed;
DROP INDEX CONCURRENTLY IF EXISTS executions_owed_since;
