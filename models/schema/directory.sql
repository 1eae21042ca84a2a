-- Organizations, folders and documents, the people in them and what they may enter. Each has an internal key that
-- never changes; the caller's id is an attribute of it, and no index row holds more than one caller's id, since each
-- may have 800 bytes.
--
-- One that is deleted loses its id: nobody finds it any more and the id is free, while its row and what belongs to
-- it are removed in batches. The unique indexes are partial, so a change of an id does not wait for those who hold
-- the row FOR KEY SHARE because they write into it.

-- access is the explicit setting, NULL for none. disabled shuts a document, and that of an organization all of its
-- documents: nobody enters. Who writes for users holds the row against a change of it. extra holds the caller's own keys as they were sent: json, not
-- jsonb, so numbers keep their text.
CREATE TABLE organizations (
    key             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id    text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    organization_id text COLLATE "C" CHECK (organization_id <> ''),
    name            text NOT NULL,
    access          text CHECK (access IN ('public', 'organizationPrivate', 'restricted')),
    disabled        boolean NOT NULL DEFAULT false,
    extra           json,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX organizations_id ON organizations (workspace_id, organization_id) WHERE organization_id IS NOT NULL;
-- organizations/get
CREATE INDEX organizations_newest ON organizations (workspace_id, created_at DESC, organization_id DESC) WHERE organization_id IS NOT NULL;
CREATE INDEX organizations_deleted ON organizations (workspace_id, key) WHERE organization_id IS NULL; -- removal of what goes with them

-- default_access is the workspace's default when the row was made: it counts as set on the organization where
-- nothing above is set.
CREATE TABLE folders (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    folder_id        text COLLATE "C" CHECK (folder_id NOT IN ('', 'root')),
    parent_key       bigint REFERENCES folders (key) ON DELETE CASCADE,
    name             text NOT NULL,
    access           text CHECK (access IN ('public', 'organizationPrivate', 'restricted')),
    default_access   text NOT NULL CHECK (default_access IN ('public', 'organizationPrivate', 'restricted')),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX folders_id ON folders (organization_key, folder_id) WHERE folder_id IS NOT NULL;
-- folders/get at the top: keys rise in the order in which folders are made, since whoever makes one holds the
-- organization's row.
CREATE INDEX folders_at_top ON folders (organization_key, key) WHERE parent_key IS NULL AND folder_id IS NOT NULL;
CREATE INDEX folders_below ON folders (parent_key) WHERE parent_key IS NOT NULL; -- folders/get; what goes with a folder

CREATE TABLE document_rows (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    document_id      text COLLATE "C" CHECK (document_id <> ''),
    folder_key       bigint REFERENCES folders (key) ON DELETE CASCADE,
    name             text NOT NULL,
    access           text CHECK (access IN ('public', 'organizationPrivate', 'restricted')),
    default_access   text NOT NULL CHECK (default_access IN ('public', 'organizationPrivate', 'restricted')),
    disabled         boolean NOT NULL DEFAULT false,
    extra            json,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX documents_id ON document_rows (organization_key, document_id) WHERE document_id IS NOT NULL;
-- documents/get, of an organization
CREATE INDEX documents_newest ON document_rows (organization_key, created_at DESC, document_id DESC) WHERE document_id IS NOT NULL;
-- documents/get, in one folder or in none
CREATE INDEX documents_newest_in_folder ON document_rows (organization_key, folder_key, created_at DESC, document_id DESC) WHERE document_id IS NOT NULL;
CREATE INDEX documents_in_folder ON document_rows (folder_key) WHERE folder_key IS NOT NULL; -- what goes with a folder

-- The documents that are there. What stands in a deleted folder is not, from the change of the folder's row on, while the
-- ids of any number of documents are taken from them in batches. Nobody but the owner of the rows reads these.
CREATE VIEW documents AS
SELECT d.* FROM document_rows d
WHERE d.document_id IS NOT NULL AND coalesce((SELECT f.folder_id IS NOT NULL FROM folders f WHERE f.key = d.folder_key), true);

-- A document on its way to another id. While it is open it reserves the new id in the organization, and the document
-- has no other.
CREATE TABLE document_migrations (
    id               text PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    document_key     bigint NOT NULL,
    document_id      text NOT NULL COLLATE "C",
    new_document_id  text NOT NULL COLLATE "C",
    open             boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX document_migrations_reserve ON document_migrations (organization_key, new_document_id) WHERE open;
CREATE UNIQUE INDEX document_migrations_open ON document_migrations (document_key) WHERE open;
CREATE INDEX document_migrations_from ON document_migrations (organization_key, document_id); -- documents/migrate, asked again

-- A profile is a person as known in one organization. own_initial tells that the caller set the initial, so that a
-- new name leaves it.
CREATE TABLE profiles (
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    user_id          text NOT NULL COLLATE "C" CHECK (user_id <> ''),
    workspace_id     text NOT NULL,
    name             text,
    email            text,
    initial          text NOT NULL DEFAULT '',
    own_initial      boolean NOT NULL DEFAULT false,
    photo_url        text,
    extra            json,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_key, user_id)
);
CREATE INDEX profiles_newest ON profiles (organization_key, created_at DESC, user_id DESC); -- users/get
CREATE INDEX profiles_of_user ON profiles (hashtextextended(user_id, 0), workspace_id); -- erasure

-- A grant lets a profile into the organization, or into one folder or document of it; it goes with any of them. One that
-- is renewed after its end is granted anew.
CREATE TABLE grants (
    organization_key bigint NOT NULL,
    user_id          text NOT NULL COLLATE "C",
    workspace_id     text NOT NULL,
    folder_key       bigint REFERENCES folders (key) ON DELETE CASCADE,
    document_key     bigint REFERENCES document_rows (key) ON DELETE CASCADE,
    role             text NOT NULL CHECK (role IN ('viewer', 'editor')),
    expires_at       timestamptz,
    granted_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (folder_key IS NULL OR document_key IS NULL),
    FOREIGN KEY (organization_key, user_id) REFERENCES profiles (organization_key, user_id) ON DELETE CASCADE,
    CONSTRAINT grants_once UNIQUE NULLS NOT DISTINCT (organization_key, user_id, folder_key, document_key)
);
CREATE INDEX grants_of_folder ON grants (folder_key) WHERE folder_key IS NOT NULL; -- users/get; what goes with a folder
CREATE INDEX grants_of_document ON grants (document_key) WHERE document_key IS NOT NULL; -- users/get; what goes with a document
CREATE INDEX grants_memberships ON grants (workspace_id, user_id) WHERE folder_key IS NULL AND document_key IS NULL; -- the organizations of a person
-- usergroups/get: members who are none any more
CREATE INDEX grants_ending ON grants (organization_key, expires_at, user_id)
    WHERE expires_at IS NOT NULL AND folder_key IS NULL AND document_key IS NULL;

-- Groups of the members of organizations; they grant nothing. One that is deleted loses its id, as folders do; a
-- group that is emptied is a new row.
CREATE TABLE user_groups (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    group_id         text COLLATE "C" CHECK (group_id <> ''),
    name             text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX user_groups_id ON user_groups (organization_key, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX user_groups_newest ON user_groups (organization_key, created_at DESC, group_id DESC) WHERE group_id IS NOT NULL; -- usergroups/get

-- Whose profile goes is in no group of the organization any more.
CREATE TABLE user_group_members (
    group_key        bigint NOT NULL REFERENCES user_groups (key) ON DELETE CASCADE,
    user_id          text NOT NULL COLLATE "C",
    organization_key bigint NOT NULL,
    workspace_id     text NOT NULL,
    PRIMARY KEY (group_key, user_id),
    FOREIGN KEY (organization_key, user_id) REFERENCES profiles (organization_key, user_id) ON DELETE CASCADE
);
CREATE INDEX user_group_members_of ON user_group_members (organization_key, user_id); -- what goes with a profile

-- Invitations of people by e-mail into an organization, or into one folder or document of it, with which they go. email_key is
-- what e-mails are compared by. One is pending for an address and a place; what has ended stays as it is.
CREATE TABLE invitations (
    id               text COLLATE "C" NOT NULL,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    folder_key       bigint REFERENCES folders (key) ON DELETE CASCADE,
    document_key     bigint REFERENCES document_rows (key) ON DELETE CASCADE,
    email            text NOT NULL,
    email_key        text NOT NULL COLLATE "C",
    role             text NOT NULL CHECK (role IN ('viewer', 'editor')),
    status           text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'ACCEPTED', 'REJECTED', 'WITHDRAWN')),
    invited_by       json,
    user_id          text COLLATE "C",
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    responded_at     timestamptz,
    mailed_at        timestamptz,
    PRIMARY KEY (workspace_id, id),
    CHECK (folder_key IS NULL OR document_key IS NULL),
    CHECK ((status = 'PENDING') = (responded_at IS NULL)),
    CHECK ((status = 'ACCEPTED') = (user_id IS NOT NULL))
);
CREATE UNIQUE INDEX invitations_pending ON invitations (organization_key, email_key, folder_key, document_key) NULLS NOT DISTINCT
    WHERE status = 'PENDING'; -- one for an address and a place; invite/pending/count
CREATE INDEX invitations_newest ON invitations (organization_key, id DESC); -- invite/get; what goes with an organization
CREATE INDEX invitations_of_email ON invitations (organization_key, email_key, id DESC); -- invitations/get; erasure
CREATE INDEX invitations_of_user ON invitations (organization_key, user_id) WHERE user_id IS NOT NULL; -- erasure
CREATE INDEX invitations_of_folder ON invitations (folder_key) WHERE folder_key IS NOT NULL; -- what goes with a folder
CREATE INDEX invitations_of_document ON invitations (document_key) WHERE document_key IS NOT NULL; -- what goes with a document
