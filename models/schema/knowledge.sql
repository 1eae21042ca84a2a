-- Sources of knowledge, their versions, what is taken from those, and the generations of the index of it.

-- A source is what a caller names; its content stands in versions. newest is the version that was accepted last,
-- live the one that reads see. Its scope is by keys of subjects. removed says that its scope is gone: its versions
-- have ended, and their leftovers are removed.
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
CREATE INDEX sources_listed ON sources (workspace_id, created_at, id) WHERE NOT removed; -- knowledge/list
-- knowledge/list, organizationId; what goes with it
CREATE INDEX sources_of_organization ON sources (organization_key, created_at, id) WHERE organization_key IS NOT NULL AND NOT removed;
-- knowledge/list, documentId; what goes with it
CREATE INDEX sources_of_document ON sources (document_key, created_at, id) WHERE document_key IS NOT NULL AND NOT removed;
CREATE INDEX sources_removed ON sources (workspace_id, id) WHERE removed; -- what is to be removed

-- A version is queued until it has ended. done counts the stages that are finished. indexed says that the
-- index may hold objects of this version.
-- retries is how often a caller had it made again with the converter retry_converter.
CREATE TABLE source_versions (
    workspace_id    text NOT NULL,
    source_id       text NOT NULL,
    version         integer NOT NULL,
    state           text NOT NULL CHECK (state IN ('accepted', 'staging', 'live', 'failed', 'retired')),
    stage           text NOT NULL CHECK (stage IN ('queued', 'converting', 'chunking', 'extracting-rules', 'embedding', 'indexing', 'completed', 'failed')),
    done            smallint NOT NULL DEFAULT 0,
    file_name       text NOT NULL,
    mime_type       text NOT NULL,
    file_size       bigint NOT NULL,
    sha256          bytea NOT NULL,
    original_key    text NOT NULL,
    canonical_key   text,
    metadata        jsonb NOT NULL DEFAULT '{}',
    makers          text NOT NULL DEFAULT '',
    chunk_count     integer NOT NULL DEFAULT 0,
    rule_count      integer NOT NULL DEFAULT 0,
    failure_reason  text,
    failure_message text,
    indexed         boolean NOT NULL DEFAULT false,
    dedup_of        text,
    retries         smallint NOT NULL DEFAULT 0,
    retry_converter integer NOT NULL DEFAULT 0,
    started_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    completed_at    timestamptz,
    PRIMARY KEY (workspace_id, source_id, version),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX source_versions_working ON source_versions (workspace_id, stage) WHERE state = 'staging'; -- how many a workspace indexes
-- what a search leaves out; what leaves the index
CREATE INDEX source_versions_hidden ON source_versions (workspace_id, source_id, version) WHERE indexed AND state <> 'live';
CREATE INDEX source_versions_former ON source_versions (updated_at) WHERE state = 'retired' AND NOT indexed; -- former versions with rows and files
-- the answer without the index: what became live last
CREATE INDEX source_versions_recent ON source_versions (workspace_id, completed_at DESC, source_id) WHERE state = 'live';
CREATE INDEX source_versions_bytes ON source_versions (workspace_id, sha256, started_at); -- the oldest source with the same bytes
CREATE INDEX source_versions_dedup ON source_versions (workspace_id, dedup_of) WHERE dedup_of IS NOT NULL; -- those whose bytes a source had first

-- content is what is returned and path what is embedded with it; text_hash names the vector of the two.
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
CREATE INDEX chunks_text ON chunks (workspace_id, text_hash) WHERE text_hash IS NOT NULL; -- whether a vector is in use

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
    FOREIGN KEY (workspace_id, source_id, version) REFERENCES source_versions (workspace_id, source_id, version) ON DELETE CASCADE
);
CREATE INDEX rules_text ON rules (workspace_id, text_hash) WHERE text_hash IS NOT NULL; -- whether a vector is in use

-- Vectors by model and text, little-endian float32: a text is embedded once.
CREATE TABLE vectors (
    workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    model        text NOT NULL,
    text_hash    bytea NOT NULL,
    vector       bytea NOT NULL,
    PRIMARY KEY (workspace_id, model, text_hash)
);

-- Which collections searches read. suffix ends the names of the generation's collections; identity and probe tell
-- its model, model is the name under which its vectors are kept.
CREATE TABLE index_generations (
    id         text PRIMARY KEY,
    suffix     text NOT NULL UNIQUE,
    state      text NOT NULL CHECK (state IN ('building', 'serving', 'retired')),
    identity   text NOT NULL,
    probe      bytea NOT NULL,
    model      text NOT NULL,
    retired_at timestamptz
);
CREATE UNIQUE INDEX index_generations_one ON index_generations (state) WHERE state <> 'retired'; -- one serves, one is built

-- A version of which the generation holds all objects.
CREATE TABLE index_copies (
    workspace_id  text NOT NULL,
    source_id     text NOT NULL,
    version       integer NOT NULL,
    generation_id text NOT NULL REFERENCES index_generations (id) ON DELETE CASCADE,
    PRIMARY KEY (workspace_id, source_id, version, generation_id),
    FOREIGN KEY (workspace_id, source_id, version) REFERENCES source_versions (workspace_id, source_id, version) ON DELETE CASCADE
);
CREATE INDEX index_copies_of_generation ON index_copies (generation_id); -- what goes with a generation

-- When the index was last asked for or given something of a workspace. What it keeps of one in memory is released
-- after a day without. went_live counts versions that went live, so that who asks the index between two reads of the
-- rows knows whether one did meanwhile.
CREATE TABLE index_uses (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    used_at      timestamptz NOT NULL,
    released     boolean NOT NULL DEFAULT false,
    went_live    bigint NOT NULL DEFAULT 0
);
CREATE INDEX index_uses_held ON index_uses (used_at) WHERE NOT released; -- who is to be released

-- Addresses for uploads. A slot is taken until the file is ingested, until expires_at when nothing was uploaded,
-- else an hour longer. put_by is the PUT that has the turn, until put_until unless it asks for it again.
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
    put_by           text,
    put_until        timestamptz,
    PRIMARY KEY (workspace_id, path)
);
CREATE INDEX uploads_open ON uploads (workspace_id, expires_at) WHERE state <> 'ingested'; -- the slots of a workspace
CREATE INDEX uploads_old ON uploads (expires_at) WHERE state <> 'ingested'; -- addresses to be forgotten
-- files nobody ingested; addresses stay known long after them
CREATE INDEX uploads_files ON uploads (expires_at) WHERE state = 'uploaded' AND blob_key IS NOT NULL;

-- The keys of files that are being written and that no row names yet: whoever writes a file notes its key first, so
-- that one whose writer died is found. It refers to no workspace: when that goes, its files are still to be removed.
CREATE TABLE unclaimed_files (
    workspace_id text NOT NULL,
    blob_key     text NOT NULL,
    since        timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, blob_key)
);
CREATE INDEX unclaimed_files_old ON unclaimed_files (since); -- files whose writer died

-- The sources whose organization or document is removed and that have not ended yet: nobody sees them. There are any
-- for some seconds only, and without one this reads an index that is empty.
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
