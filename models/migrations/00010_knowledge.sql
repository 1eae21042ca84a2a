-- Sources of knowledge, their versions, and what is taken from those.

-- +goose Up

-- A source is what a caller names; its content stands in versions. newest is
-- the version that was accepted last, live the one that reads see. Its scope is by
-- keys of subjects. removed says that its scope is gone: its versions have ended, and
-- the sweep takes away what they leave.
CREATE TABLE sources (
    workspace_id     text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    id               text NOT NULL,
    source_type      text NOT NULL CHECK (source_type IN ('inline', 'upload')),
    organization_key bigint,
    document_key     bigint,
    created_at       timestamptz NOT NULL,
    newest           integer NOT NULL,
    live             integer,
    removed          boolean NOT NULL DEFAULT false,
    PRIMARY KEY (workspace_id, id)
);
-- The list, newest first: all, and those of an organization or a document. The latter
-- two also find what is scoped to something that was removed.
CREATE INDEX sources_listed ON sources (workspace_id, created_at, id) WHERE NOT removed;
CREATE INDEX sources_of_organization ON sources (organization_key, created_at, id) WHERE organization_key IS NOT NULL AND NOT removed;
CREATE INDEX sources_of_document ON sources (document_key, created_at, id) WHERE document_key IS NOT NULL AND NOT removed;
-- What the sweep takes away.
CREATE INDEX sources_removed ON sources (workspace_id, id) WHERE removed;

-- A version in work is owed a run until it has ended: drive_after is when the
-- relay asks the engine for one again. done counts the stages that are finished.
CREATE TABLE source_versions (
    workspace_id    text NOT NULL,
    source_id       text NOT NULL,
    version         integer NOT NULL,
    state           text NOT NULL CHECK (state IN ('accepted', 'staging', 'live', 'failed', 'retired')),
    stage           text NOT NULL CHECK (stage IN ('queued', 'converting', 'chunking', 'extracting-rules', 'embedding', 'indexing', 'completed', 'failed')),
    done            smallint NOT NULL DEFAULT 0,
    -- The stage's begin, and when the relay may ask for a run (again).
    stage_since     timestamptz NOT NULL,
    drive_after     timestamptz,
    file_name       text NOT NULL,
    mime_type       text NOT NULL,
    file_size       bigint NOT NULL,
    sha256          bytea NOT NULL,
    original_key    text NOT NULL,
    canonical_key   text,
    canonical_hash  bytea,
    metadata        jsonb NOT NULL DEFAULT '{}',
    makers          text NOT NULL DEFAULT '',
    chunk_count     integer NOT NULL DEFAULT 0,
    rule_count      integer NOT NULL DEFAULT 0,
    failure_reason  text,
    failure_message text,
    -- indexed: the index may hold objects of this version.
    indexed         boolean NOT NULL DEFAULT false,
    dedup_of        text,
    started_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    completed_at    timestamptz,
    PRIMARY KEY (workspace_id, source_id, version),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id) ON DELETE CASCADE
);
-- What the relay looks for, and how much of it a workspace has in work.
CREATE INDEX source_versions_owed ON source_versions (drive_after) WHERE drive_after IS NOT NULL;
CREATE INDEX source_versions_working ON source_versions (workspace_id, stage) WHERE state = 'staging';
-- What a search leaves out, and what is to be removed from the index.
CREATE INDEX source_versions_hidden ON source_versions (workspace_id, source_id, version) WHERE indexed AND state <> 'live';
-- Former versions whose rows and files are still there.
CREATE INDEX source_versions_former ON source_versions (updated_at) WHERE state = 'retired' AND NOT indexed;
-- The answer without the index: what became live last.
CREATE INDEX source_versions_recent ON source_versions (workspace_id, completed_at DESC, source_id) WHERE state = 'live';
-- The oldest source that holds the same bytes, and those whose bytes it had first.
CREATE INDEX source_versions_bytes ON source_versions (workspace_id, sha256, started_at);
CREATE INDEX source_versions_dedup ON source_versions (workspace_id, dedup_of) WHERE dedup_of IS NOT NULL;

-- text is what is returned and path what is embedded with it; text_hash names
-- the vector of the two.
CREATE TABLE chunks (
    workspace_id text NOT NULL,
    source_id    text NOT NULL,
    version      integer NOT NULL,
    ordinal      integer NOT NULL,
    path         text NOT NULL,
    content      text NOT NULL,
    tokens       integer NOT NULL,
    text_hash    bytea,
    PRIMARY KEY (workspace_id, source_id, version, ordinal),
    FOREIGN KEY (workspace_id, source_id, version) REFERENCES source_versions (workspace_id, source_id, version) ON DELETE CASCADE
);

-- A rule keeps its id through the versions in which its identity occurs.
CREATE TABLE rules (
    workspace_id text NOT NULL,
    source_id    text NOT NULL,
    version      integer NOT NULL,
    ordinal      integer NOT NULL,
    id           text NOT NULL,
    content      text NOT NULL,
    category     text,
    identity     bytea NOT NULL,
    text_hash    bytea,
    PRIMARY KEY (workspace_id, source_id, version, ordinal),
    UNIQUE (workspace_id, source_id, version, id),
    UNIQUE (workspace_id, source_id, version, identity),
    FOREIGN KEY (workspace_id, source_id, version) REFERENCES source_versions (workspace_id, source_id, version) ON DELETE CASCADE
);

-- Vectors by model and text, little-endian float32: a text is embedded once.
CREATE TABLE vectors (
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    model        text NOT NULL,
    text_hash    bytea NOT NULL,
    vector       bytea NOT NULL,
    PRIMARY KEY (workspace_id, model, text_hash)
);

-- The model whose vectors are in the index, with that of one fixed sentence.
CREATE TABLE index_model (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    identity text NOT NULL,
    probe    bytea NOT NULL
);

-- Addresses for uploads. A slot is taken until the file is ingested, until
-- expires_at when nothing was uploaded, else an hour longer.
CREATE TABLE uploads (
    workspace_id     text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    path             text NOT NULL,
    token_hash       bytea NOT NULL UNIQUE,
    mime_type        text NOT NULL,
    file_name        text NOT NULL,
    file_size        bigint NOT NULL,
    organization_key bigint,
    document_key     bigint,
    state            text NOT NULL CHECK (state IN ('issued', 'uploaded', 'ingested')),
    expires_at       timestamptz NOT NULL,
    blob_key         text,
    sha256           bytea,
    source_id        text,
    PRIMARY KEY (workspace_id, path)
);
-- Slots of a workspace, and the clearing away of what nobody ingested.
CREATE INDEX uploads_open ON uploads (workspace_id, expires_at) WHERE state <> 'ingested';
CREATE INDEX uploads_old ON uploads (expires_at) WHERE state <> 'ingested';

-- The sources whose organization or document is removed and that have not ended yet:
-- nobody sees them. There are any for some seconds only, and without one this reads
-- an index that is empty.
-- +goose StatementBegin
CREATE FUNCTION stray_sources(workspace text) RETURNS TABLE (id text)
    LANGUAGE plpgsql STABLE ROWS 4 SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    DECLARE
        subject bigint;
    BEGIN
        FOR subject IN SELECT r.key FROM subjects r WHERE r.workspace_id = workspace AND r.removed_at IS NOT NULL AND NOT r.sources_gone LOOP
            RETURN QUERY SELECT s.id FROM sources s WHERE s.organization_key = subject AND NOT s.removed
                UNION ALL SELECT s.id FROM sources s WHERE s.document_key = subject AND NOT s.removed
                    AND NOT EXISTS (SELECT FROM subjects o WHERE o.key = s.organization_key AND o.removed_at IS NOT NULL);
        END LOOP;
    END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION stray_sources(text);
DROP TABLE uploads;
DROP TABLE index_model;
DROP TABLE vectors;
DROP TABLE rules;
DROP TABLE chunks;
DROP TABLE source_versions;
DROP TABLE sources;
