-- messages/get reads messages newest first, all of a workspace or those of an
-- endpoint; a recovery reads them from the oldest on. Ids are in the order of the
-- times at which messages were made. Neither index locks its table, and neither has
-- a column that changes.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_newest ON messages (workspace_id, id DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_newest ON deliveries (destination_id, message_id DESC) WHERE message_id IS NOT NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS deliveries_newest;
DROP INDEX CONCURRENTLY IF EXISTS messages_newest;
