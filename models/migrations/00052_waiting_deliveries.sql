-- What waits is found in a table of its own from the next migration on. The indexes
-- and conditions of before have a file of their own, since they are built without a
-- transaction.

-- +goose NO TRANSACTION
-- +goose Up

DROP INDEX CONCURRENTLY IF EXISTS deliveries_waiting;
DROP INDEX CONCURRENTLY IF EXISTS deliveries_under_way;
ALTER TABLE deliveries DROP CONSTRAINT IF EXISTS deliveries_due, DROP CONSTRAINT IF EXISTS deliveries_check;

-- +goose Down

ALTER TABLE deliveries
    ADD CONSTRAINT deliveries_due CHECK ((due_at IS NOT NULL) = (state = 'pending' OR state = 'sending')) NOT VALID,
    ADD CONSTRAINT deliveries_check CHECK ((held_until IS NULL) = (state <> 'sending')) NOT VALID;
ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_due;
ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_check;
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_waiting ON deliveries (destination_id, origin, due_at, id) WHERE state = 'pending';
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_under_way ON deliveries (destination_id, origin, held_until) WHERE state = 'sending';
