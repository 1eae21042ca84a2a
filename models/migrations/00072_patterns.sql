-- What reviewers usually decide, found among judgments by a job of each workspace.

-- +goose Up

-- organization_key is null for a pattern of the workspace as a whole, content_type for
-- one of all content. members are the record ids of its judgments in ascending order,
-- top those of its votes nearest to the middle. updated_at moves with members and text.
CREATE TABLE patterns (
    id               text PRIMARY KEY,
    workspace_id     text NOT NULL,
    organization_key bigint,
    content_type     text,
    decision         text NOT NULL CHECK (decision IN ('approve', 'reject')),
    description      text NOT NULL,
    category         text NOT NULL,
    confidence       double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    votes            integer NOT NULL,
    agreeing         integer NOT NULL,
    unique_reviewers integer NOT NULL,
    members          text[] NOT NULL,
    top              text[] NOT NULL,
    discovered_at    timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CHECK (agreeing BETWEEN 1 AND votes)
);
-- patterns/get, and those of a scope that is looked through again.
CREATE INDEX patterns_most_confident ON patterns (workspace_id, confidence DESC, updated_at DESC, id);
CREATE INDEX patterns_of_scope ON patterns (workspace_id, organization_key, content_type);

-- When the patterns of a workspace are to be looked for: from due on; null while nothing
-- is owed. due moves on with each change of the judgments, up to latest.
CREATE TABLE pattern_changes (
    workspace_id text PRIMARY KEY,
    due          timestamptz,
    latest       timestamptz
);
CREATE INDEX pattern_changes_due ON pattern_changes (due) WHERE due IS NOT NULL;

-- The job of each workspace for which its scopes were listed last.
CREATE TABLE pattern_runs (
    workspace_id text PRIMARY KEY,
    job_id       text NOT NULL
);

-- What is looked through at once: an organization, or the workspace as a whole, and a
-- content type, or all of them. fingerprint is that of the judgments when it was listed;
-- job_id is the job that has it to look through, null for none. looked is the fingerprint
-- of what was looked through last, looked_at when that was.
CREATE TABLE pattern_scopes (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id     text NOT NULL,
    organization_key bigint,
    content_type     text,
    fingerprint      bigint NOT NULL,
    job_id           text,
    looked           bigint,
    looked_at        timestamptz,
    UNIQUE NULLS NOT DISTINCT (workspace_id, organization_key, content_type)
);
CREATE INDEX pattern_scopes_left ON pattern_scopes (workspace_id, job_id) WHERE job_id IS NOT NULL;

-- +goose Down

DROP TABLE pattern_scopes;
DROP TABLE pattern_runs;
DROP TABLE pattern_changes;
DROP TABLE patterns;
