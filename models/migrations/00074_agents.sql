-- Agents that steps of executions call, registered by their workspaces.

-- +goose Up

CREATE TABLE agents (
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    agent_id     text NOT NULL,
    name         text NOT NULL,
    description  text,
    url          text NOT NULL CHECK (url <> ''),
    disabled     boolean NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, agent_id)
);
-- agents/list, newest first.
CREATE INDEX agents_newest ON agents (workspace_id, created_at DESC, agent_id DESC);

-- Secrets of an agent, the newest without an end. id is the place of the sealed
-- value.
CREATE TABLE agent_secrets (
    id            text PRIMARY KEY,
    workspace_id  text NOT NULL,
    agent_id      text NOT NULL,
    secret_sealed bytea NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at    timestamptz,
    FOREIGN KEY (workspace_id, agent_id) REFERENCES agents (workspace_id, agent_id) ON DELETE CASCADE
);
CREATE INDEX agent_secrets_newest ON agent_secrets (workspace_id, agent_id, created_at DESC, id DESC);
CREATE INDEX agent_secrets_sealed ON agent_secrets (sealed_under(secret_sealed));

-- +goose Down

DROP TABLE agent_secrets;
DROP TABLE agents;
