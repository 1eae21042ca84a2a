-- Triggers of the current version of an active definition: what starts executions
-- from outside, and what starts them by the clock.

-- +goose Up

-- settings is the trigger as its definition has it, without the secret.
CREATE TABLE inbound_triggers (
    id            text PRIMARY KEY,
    workspace_id  text NOT NULL,
    definition_id text NOT NULL,
    trigger_id    text NOT NULL,
    settings      json NOT NULL,
    -- sealed at (inbound_triggers, secret_sealed, id, workspace_id)
    secret_sealed bytea NOT NULL,
    UNIQUE (workspace_id, definition_id, trigger_id)
);
CREATE INDEX inbound_triggers_sealed ON inbound_triggers (sealed_under(secret_sealed));

-- +goose Down

DROP TABLE inbound_triggers;
