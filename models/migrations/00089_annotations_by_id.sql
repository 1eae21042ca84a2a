-- Calls about all annotations of a document take them in the order of their ids, so many
-- at once: each call finds its own without looking at the others.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_by_id ON annotations (document_key, annotation_id);

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS annotations_by_id;
