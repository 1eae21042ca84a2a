-- What goes by its age is read from the oldest row on, so its time has an index in
-- that order. A summary by ranges of pages does not serve: once old rows are gone,
-- new ones take their room, and the range counts as old for ever. The new indexes
-- are there before the former ones go, and none locks its table.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_oldest ON messages (created_at);
DROP INDEX CONCURRENTLY IF EXISTS messages_by_age;
CREATE INDEX CONCURRENTLY IF NOT EXISTS message_bodies_oldest ON message_bodies (created_at);
DROP INDEX CONCURRENTLY IF EXISTS message_bodies_by_age;
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoint_attempts_oldest ON endpoint_attempts (started_at);
DROP INDEX CONCURRENTLY IF EXISTS endpoint_attempts_by_age;
CREATE INDEX CONCURRENTLY IF NOT EXISTS delivery_attempts_oldest ON delivery_attempts (at);
DROP INDEX CONCURRENTLY IF EXISTS delivery_attempts_by_age;
CREATE INDEX CONCURRENTLY IF NOT EXISTS mails_oldest ON mails (created_at);
DROP INDEX CONCURRENTLY IF EXISTS mails_by_age;
CREATE INDEX CONCURRENTLY IF NOT EXISTS notifications_oldest ON notifications (created_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoints_deleted ON endpoints (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS rate_uses_oldest ON rate_uses (at);

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS rate_uses_oldest;
DROP INDEX CONCURRENTLY IF EXISTS endpoints_deleted;
DROP INDEX CONCURRENTLY IF EXISTS notifications_oldest;
CREATE INDEX CONCURRENTLY IF NOT EXISTS mails_by_age ON mails USING brin (created_at);
DROP INDEX CONCURRENTLY IF EXISTS mails_oldest;
CREATE INDEX CONCURRENTLY IF NOT EXISTS delivery_attempts_by_age ON delivery_attempts USING brin (at);
DROP INDEX CONCURRENTLY IF EXISTS delivery_attempts_oldest;
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoint_attempts_by_age ON endpoint_attempts USING brin (started_at);
DROP INDEX CONCURRENTLY IF EXISTS endpoint_attempts_oldest;
CREATE INDEX CONCURRENTLY IF NOT EXISTS message_bodies_by_age ON message_bodies USING brin (created_at);
DROP INDEX CONCURRENTLY IF EXISTS message_bodies_oldest;
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_by_age ON messages USING brin (created_at);
DROP INDEX CONCURRENTLY IF EXISTS messages_oldest;
