-- The service of a workspace's own that says who may write to documents. No row:
-- never set.

-- +goose Up

CREATE TABLE permission_providers (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    enabled      boolean NOT NULL DEFAULT false,
    url          text NOT NULL DEFAULT '',
    token_sealed bytea,
    CHECK (NOT enabled OR url <> ''),
    CHECK (token_sealed IS NULL OR url <> '')
);
CREATE INDEX permission_providers_sealed ON permission_providers (sealed_under(token_sealed)) WHERE token_sealed IS NOT NULL;

-- +goose Down

DROP TABLE permission_providers;
