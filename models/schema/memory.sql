-- Recorded acts of review, and what reviewers usually decide. Organizations and documents are subjects, by their
-- keys; the id of an annotation is the caller's. The things themselves need not exist.

-- Domains, since a dispatch or a decision writes judgments: see executions.
CREATE DOMAIN judgment_origin AS text CHECK (VALUE IN ('step', 'comment', 'record', 'status', 'suggestion'));
CREATE DOMAIN judge_type AS text CHECK (VALUE IN ('human', 'agent'));
CREATE DOMAIN share AS double precision CHECK (VALUE BETWEEN 0 AND 1);

-- origin and origin_id name the act that made the judgment; the act repeated makes no second one. created_at is the
-- time of the act, in milliseconds. Whoever stores a judgment takes judge_type from whether there is an agent. key
-- names it in the index.
CREATE TABLE judgments (
    workspace_id     text NOT NULL,
    record_id        text NOT NULL COLLATE "C",
    origin           judgment_origin NOT NULL,
    origin_id        text NOT NULL COLLATE "C",
    decision         text NOT NULL,
    reasoning        text NOT NULL,
    content          text NOT NULL,
    content_type     text NOT NULL,
    confidence       share NOT NULL,
    judge_type       judge_type NOT NULL,
    user_id          text NOT NULL COLLATE "C",
    user_name        text NOT NULL,
    user_email       text,
    agent            json,
    organization_key bigint,
    document_key     bigint,
    annotation_id    text COLLATE "C",
    created_at       timestamptz NOT NULL,
    category         text,
    key              bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, record_id),
    CONSTRAINT judgments_key UNIQUE (key)
);
-- judgments/query, newest first: all of a workspace, and by what narrows most, also where few have a value. Those of an
-- organization and of a document are also what goes with it.
CREATE INDEX judgments_newest ON judgments (workspace_id, created_at DESC, record_id DESC);
CREATE INDEX judgments_of_organization ON judgments (workspace_id, organization_key, created_at DESC, record_id DESC)
    WHERE organization_key IS NOT NULL;
CREATE INDEX judgments_of_document ON judgments (workspace_id, document_key, created_at DESC, record_id DESC) WHERE document_key IS NOT NULL;
CREATE INDEX judgments_of_annotation ON judgments (workspace_id, annotation_id, created_at DESC, record_id DESC) WHERE annotation_id IS NOT NULL;
CREATE INDEX judgments_of_reviewer ON judgments (workspace_id, user_id, created_at DESC, record_id DESC); -- profiles/get; what goes with a member
CREATE INDEX judgments_of_content_type ON judgments (workspace_id, content_type, created_at DESC, record_id DESC);
CREATE INDEX judgments_of_decision ON judgments (workspace_id, decision, created_at DESC, record_id DESC);
CREATE INDEX judgments_of_judge_type ON judgments (workspace_id, judge_type, created_at DESC, record_id DESC);
-- Made last, as the keys of executions are.
CREATE UNIQUE INDEX judgments_once ON judgments (workspace_id, origin, origin_id);

-- What the index has of a judgment: indexed, all of the revision, which each change of the judgment counts up. building is the generation
-- of the index that is being built and has it too. A row stays until the index has nothing of the judgment.
CREATE TABLE judgment_index (
    key          bigint PRIMARY KEY,
    workspace_id text NOT NULL,
    revision     integer NOT NULL DEFAULT 1,
    indexed      boolean NOT NULL DEFAULT false,
    building     text
);

-- The vectors of a judgment by model, little-endian float32: of what was decided and why, and of what was judged
-- where that is known. They are those of a revision.
CREATE TABLE judgment_vectors (
    key          bigint NOT NULL REFERENCES judgments (key) ON DELETE CASCADE,
    model        text NOT NULL,
    workspace_id text NOT NULL,
    revision     integer NOT NULL,
    review       bytea NOT NULL,
    content      bytea,
    PRIMARY KEY (key, model)
);

-- The subjects of a comment, as long as its document is there, by its key in the directory: none once the document
-- is deleted, since an id that is free again means another one. They are looked up first: whoever deletes the
-- document marks them in the same transaction, so either the mark comes later and they are removed with it, or the
-- deletion is seen here. A document that got another id meanwhile is looked up by that.
CREATE FUNCTION comment_subjects(workspace text, organization text, document text, directory_key bigint,
                                 OUT organization_key bigint, OUT document_key bigint) RETURNS SETOF record
    LANGUAGE plpgsql ROWS 1
    AS $$
    DECLARE
        known text := document;
        named text;
    BEGIN
        LOOP
            SELECT o.organization_key, o.document_key INTO organization_key, document_key FROM open_subjects(workspace, organization, known) o;
            SELECT d.document_id INTO named FROM documents d JOIN organizations g ON g.key = d.organization_key
            WHERE d.key = directory_key AND g.organization_id IS NOT NULL;
            EXIT WHEN named IS NULL;
            IF named = known THEN
                RETURN NEXT;
                EXIT;
            END IF;
            known := named;
        END LOOP;
    END $$;

-- What reviewers usually decide, found among judgments by a job of each workspace. organization_key is null for a
-- pattern of the workspace as a whole, content_type for one of all content. members are the record ids of its
-- judgments in ascending order, top those of its votes nearest to the middle. updated_at moves with members and
-- text.
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
CREATE INDEX patterns_most_confident ON patterns (workspace_id, confidence DESC, updated_at DESC, id); -- patterns/get
CREATE INDEX patterns_of_scope ON patterns (workspace_id, organization_key, content_type); -- what is looked through again

-- The job of each workspace for which its scopes were listed last, and by vectors of which model its patterns were
-- looked for. While another one serves they are to be looked for again; such workspaces are found by the index.
CREATE TABLE pattern_runs (
    workspace_id text PRIMARY KEY,
    job_id       text NOT NULL,
    model        text NOT NULL DEFAULT '',
    ended_at     timestamptz
);
CREATE INDEX pattern_runs_of_model ON pattern_runs (model); -- workspaces that another model looked through

-- What is looked through at once: an organization, or the workspace as a whole, and a content type, or all of them.
-- fingerprint is that of the judgments when it was listed; job_id is the job that has it to look through, null for
-- none. looked is the fingerprint of what was looked through last, looked_at when that was, alerts what stood out then.
-- pattern_runs.ended_at is when a job was last through with all of them.
CREATE TABLE pattern_scopes (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id     text NOT NULL,
    organization_key bigint,
    content_type     text,
    fingerprint      bigint NOT NULL,
    job_id           text,
    looked           bigint,
    looked_at        timestamptz,
    alerts           json,
    UNIQUE NULLS NOT DISTINCT (workspace_id, organization_key, content_type)
);
CREATE INDEX pattern_scopes_left ON pattern_scopes (workspace_id, job_id) WHERE job_id IS NOT NULL; -- what a job has left

-- What stands out in what reviewers decide. found is all of it, as JSON; medoid is the judgment that it quotes, with which it
-- goes. One that is not active any more stays as it is; while it has not ended, the same is not raised again.
CREATE TABLE alerts (
    id               text COLLATE "C" NOT NULL,
    workspace_id     text NOT NULL,
    organization_key bigint,
    content_type     text,
    kind             text NOT NULL CHECK (kind IN ('standards_drift', 'anomaly', 'emerging_standard')),
    severity         text NOT NULL CHECK (severity IN ('low', 'medium', 'high')),
    found            json NOT NULL,
    reviewer_id      text COLLATE "C",
    medoid           text NOT NULL,
    status           text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'dismissed', 'actioned', 'ended')),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    dismissed_at     timestamptz,
    dismissed_by     text,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX alerts_newest ON alerts (workspace_id, status, created_at DESC, id DESC); -- alerts/list

-- What a workspace has set for its alerts; without a row all of it is as in a new one.
CREATE TABLE alert_settings (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    enabled      boolean NOT NULL DEFAULT true,
    weekly       integer NOT NULL DEFAULT 3 CHECK (weekly BETWEEN 0 AND 50),
    kinds        text[] NOT NULL DEFAULT '{standards_drift,anomaly,emerging_standard}',
    severity     text NOT NULL DEFAULT 'low' CHECK (severity IN ('low', 'medium', 'high'))
);
