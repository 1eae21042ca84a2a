-- +goose NO TRANSACTION

-- What goes with a user who leaves an organization.

-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS judgments_of_member ON judgments (organization_key, user_id, key) WHERE organization_key IS NOT NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS judgments_of_member;
