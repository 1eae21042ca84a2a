-- The keys of files that are being written and that no row names yet: whoever
-- writes a file notes its key first, so that one whose writer died is found.

-- +goose Up

-- It refers to no workspace: when that goes, its files are still to be removed.
CREATE TABLE unclaimed_files (
    workspace_id text NOT NULL,
    blob_key     text NOT NULL,
    since        timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, blob_key)
);
CREATE INDEX unclaimed_files_old ON unclaimed_files (since);

-- +goose Down

DROP TABLE unclaimed_files;
