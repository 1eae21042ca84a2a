-- What users want to be told of, and where notifications are: those of a document, and
-- those of a user in an organization, are listed by it.

-- +goose Up

-- Without a document a preference is for all documents of the organization that have none
-- of their own. A channel that is NULL is as if there were no row.
CREATE TABLE notification_preferences (
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    document_key     bigint REFERENCES documents (key) ON DELETE CASCADE,
    user_id          text NOT NULL COLLATE "C",
    inbox            text CHECK (inbox IN ('ALL', 'MINE', 'NONE')),
    email            text CHECK (email IN ('ALL', 'MINE', 'NONE')),
    CONSTRAINT notification_preferences_once UNIQUE NULLS NOT DISTINCT (organization_key, user_id, document_key)
);
-- Who is told of every comment of a document.
CREATE INDEX notification_preferences_all ON notification_preferences (organization_key, document_key, user_id) WHERE inbox = 'ALL' OR email = 'ALL';
-- Those that go with a document.
CREATE INDEX notification_preferences_of_document ON notification_preferences (document_key) WHERE document_key IS NOT NULL;

ALTER TABLE notifications ADD COLUMN document_key bigint;
ALTER TABLE notification_recipients ADD COLUMN organization_key bigint, ADD COLUMN document_key bigint;

-- +goose Down

ALTER TABLE notification_recipients DROP COLUMN document_key, DROP COLUMN organization_key;
ALTER TABLE notifications DROP COLUMN document_key;
DROP TABLE notification_preferences;
