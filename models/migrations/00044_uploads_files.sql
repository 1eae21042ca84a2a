-- Addresses that ended stay known long after their files are gone: whoever looks
-- for files shall not read past them.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS uploads_files ON uploads (expires_at) WHERE state = 'uploaded' AND blob_key IS NOT NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS uploads_files;
