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

-- What the engine is owed of the triggers that fire by the clock: a row in state owed
-- is to be written there, one that was removed to be deleted there, and then here.
-- revision counts the changes, so that who has written an older one finds out.
CREATE TABLE schedules (
    workspace_id  text NOT NULL,
    definition_id text NOT NULL,
    trigger_id    text NOT NULL,
    cron          text NOT NULL,
    timezone      text NOT NULL,
    enabled       boolean NOT NULL,
    removed       boolean NOT NULL DEFAULT false,
    state         text NOT NULL DEFAULT 'owed' CHECK (state IN ('owed', 'working', 'written')),
    revision      bigint NOT NULL DEFAULT 1,
    changed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    drive_after   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, definition_id, trigger_id),
    CHECK (NOT (enabled AND removed))
);
-- Claims: those that are owed of a workspace, oldest change first; how many of it are
-- in work, and those of all that are due again.
CREATE INDEX schedules_owed ON schedules (workspace_id, changed_at, definition_id, trigger_id) WHERE state = 'owed';
CREATE INDEX schedules_working ON schedules (workspace_id) WHERE state = 'working';
CREATE INDEX schedules_driven ON schedules (drive_after) WHERE state = 'working';
-- How many a workspace has.
CREATE INDEX schedules_enabled ON schedules (workspace_id) WHERE enabled;

-- +goose Down

DROP TABLE schedules;
DROP TABLE inbound_triggers;
