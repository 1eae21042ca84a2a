-- When the index was last asked for or given something of a workspace. What it keeps
-- of one in memory is released after a day without.

-- +goose Up

CREATE TABLE index_uses (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    used_at      timestamptz NOT NULL,
    released     boolean NOT NULL DEFAULT false
);
CREATE INDEX index_uses_held ON index_uses (used_at) WHERE NOT released;

INSERT INTO index_uses (workspace_id, used_at) SELECT DISTINCT workspace_id, clock_timestamp() FROM source_versions WHERE indexed;

-- +goose Down

DROP TABLE index_uses;
