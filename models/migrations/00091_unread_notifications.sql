-- The notifications that a user has not read: reading annotations reads those about them.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS notification_recipients_unread ON notification_recipients (workspace_id, user_id, notification_id) WHERE read_at IS NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS notification_recipients_unread;
