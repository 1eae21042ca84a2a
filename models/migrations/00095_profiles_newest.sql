-- Lists of the people of an organization.

-- +goose NO TRANSACTION
-- +goose Up

-- users/get, newest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS profiles_newest ON profiles (organization_key, created_at DESC, user_id DESC);
-- Memberships with an end: groups do not count those that are over.
CREATE INDEX CONCURRENTLY IF NOT EXISTS grants_ending ON grants (organization_key, expires_at, user_id)
    WHERE expires_at IS NOT NULL AND folder_key IS NULL AND document_key IS NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS grants_ending;
DROP INDEX CONCURRENTLY IF EXISTS profiles_newest;
