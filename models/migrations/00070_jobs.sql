-- Work that takes longer than an answer and is neither an execution nor a delivery:
-- the migration of a document, the removal of what is deleted, the detection of patterns.
-- A row says what is owed from the commit of its transaction on; the run in the engine
-- only carries it out.

-- +goose Up

-- input says what to do, in the form of its kind. started_at is when a run began to
-- work, done how many rows it has dealt with, ended_at when the job was over.
CREATE TABLE jobs (
    id            text PRIMARY KEY,
    workspace_id  text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind          text NOT NULL CHECK (kind IN ('migration', 'removal', 'detection')),
    input         jsonb NOT NULL,
    state         text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'working', 'completed', 'failed')),
    done          bigint NOT NULL DEFAULT 0,
    error_code    text,
    error_message text,
    drive_after   timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at    timestamptz,
    ended_at      timestamptz,
    CHECK ((state IN ('completed', 'failed')) = (ended_at IS NOT NULL)),
    CHECK ((state = 'failed') = (error_code IS NOT NULL)),
    CHECK ((error_code IS NULL) = (error_message IS NULL))
);
-- Claims: those without a run of a workspace, oldest first; how many it has with one,
-- and those of all that are due for another offer.
CREATE INDEX jobs_queued ON jobs (workspace_id, created_at, id) WHERE state = 'queued';
CREATE INDEX jobs_working ON jobs (workspace_id) WHERE state = 'working';
CREATE INDEX jobs_driven ON jobs (drive_after) WHERE state = 'working';
-- Detections of one workspace never overlap.
CREATE UNIQUE INDEX jobs_detection ON jobs (workspace_id) WHERE kind = 'detection' AND ended_at IS NULL;
-- What goes by its age.
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

-- A document on its way to another id. While it is open it reserves the new id in the
-- organization, and the document has no other.
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
-- The migrations of a pair that is asked for again.
CREATE INDEX document_migrations_from ON document_migrations (organization_key, document_id);

-- +goose Down

DROP TABLE document_migrations;
DROP TABLE jobs;
