-- Workflow definitions and their versions. A version never changes after it was
-- written: executions pin it by its id and processes keep it in memory. Its scope is
-- by keys of subjects, so that it shows the id which a document has now.

-- +goose Up

-- The row of a definition is what dispatch, update and delete lock. It holds
-- what lists filter and sort by; everything else is in its current version.
CREATE TABLE definitions (
    workspace_id     text        NOT NULL,
    definition_id    text        NOT NULL,
    status           text        NOT NULL CHECK (status IN ('active', 'tombstoned')),
    version          integer     NOT NULL CHECK (version >= 1),
    version_id       text        NOT NULL,
    organization_key bigint,
    document_key     bigint,
    tags             text[]      NOT NULL DEFAULT '{}',
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    tombstoned_at    timestamptz,
    PRIMARY KEY (workspace_id, definition_id),
    CHECK ((status = 'tombstoned') = (tombstoned_at IS NOT NULL)),
    CHECK (document_key IS NULL OR organization_key IS NOT NULL)
);
-- definitions/list, latest change first: all, of an organization, of a document.
CREATE INDEX definitions_newest ON definitions (workspace_id, updated_at DESC, definition_id DESC)
    WHERE status = 'active';
CREATE INDEX definitions_of_organization ON definitions (workspace_id, organization_key, updated_at DESC, definition_id DESC)
    WHERE status = 'active' AND organization_key IS NOT NULL;
CREATE INDEX definitions_of_document ON definitions (workspace_id, document_key, updated_at DESC, definition_id DESC)
    WHERE status = 'active' AND document_key IS NOT NULL;
-- definitions/list with a tag.
CREATE INDEX definitions_tagged ON definitions USING gin (tags) WHERE status = 'active';

-- snapshot and compiled are json, not jsonb: a definition comes back as it was
-- sent, spelling of numbers, order of keys and white space included.
CREATE TABLE definition_versions (
    id                   text        PRIMARY KEY,
    workspace_id         text        NOT NULL,
    definition_id        text        NOT NULL,
    version              integer     NOT NULL CHECK (version >= 1),
    name                 text        NOT NULL CHECK (name <> ''),
    scope_level          text        NOT NULL CHECK (scope_level IN ('apiKey', 'organization', 'document')),
    organization_key     bigint,
    document_key         bigint,
    snapshot             json        NOT NULL,
    compiled             json        NOT NULL,
    -- bytes of snapshot and compiled, which bound the pages of a list
    size                 integer     NOT NULL CHECK (size > 0),
    node_count           integer     NOT NULL CHECK (node_count BETWEEN 1 AND 100),
    edge_count           integer     NOT NULL CHECK (edge_count BETWEEN 0 AND 500),
    receiver_url         text,
    -- sealed at (definition_versions, receiver_secret, id, workspace_id)
    receiver_secret      bytea,
    -- null: every external event
    receiver_event_types text[],
    -- when the definition was created, and when this version was
    defined_at           timestamptz NOT NULL,
    created_at           timestamptz NOT NULL,
    -- also definitions/versions/list, latest first, read backwards
    CONSTRAINT definition_versions_line UNIQUE (workspace_id, definition_id, version),
    CHECK ((receiver_url IS NULL) = (receiver_secret IS NULL)),
    CHECK (receiver_url IS NOT NULL OR receiver_event_types IS NULL),
    CHECK ((scope_level <> 'apiKey') = (organization_key IS NOT NULL)),
    CHECK ((scope_level = 'document') = (document_key IS NOT NULL))
);

-- +goose Down

DROP TABLE definition_versions;
DROP TABLE definitions;
