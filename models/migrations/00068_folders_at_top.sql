-- The folders at the top of an organization are listed newest first: their keys
-- rise in the order in which they are made, since whoever makes one holds the
-- organization's row. It does not lock the table.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS folders_at_top ON folders (organization_key, key) WHERE parent_key IS NULL AND folder_id IS NOT NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS folders_at_top;
