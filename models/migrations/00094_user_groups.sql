-- Groups of the members of organizations. They grant nothing.

-- +goose Up

-- One that is deleted loses its id, as folders do; a group that is emptied is a new row.
CREATE TABLE user_groups (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    group_id         text COLLATE "C" CHECK (group_id <> ''),
    name             text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX user_groups_id ON user_groups (organization_key, group_id) WHERE group_id IS NOT NULL;
-- usergroups/get, newest first.
CREATE INDEX user_groups_newest ON user_groups (organization_key, created_at DESC, group_id DESC) WHERE group_id IS NOT NULL;

-- Whose profile goes is in no group of the organization any more.
CREATE TABLE user_group_members (
    group_key        bigint NOT NULL REFERENCES user_groups (key) ON DELETE CASCADE,
    user_id          text NOT NULL COLLATE "C",
    organization_key bigint NOT NULL,
    workspace_id     text NOT NULL,
    PRIMARY KEY (group_key, user_id),
    FOREIGN KEY (organization_key, user_id) REFERENCES profiles (organization_key, user_id) ON DELETE CASCADE
);
-- What goes with a profile or an organization.
CREATE INDEX user_group_members_of ON user_group_members (organization_key, user_id);

-- +goose Down

DROP TABLE user_group_members;
DROP TABLE user_groups;
