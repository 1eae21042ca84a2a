-- Recorded acts of review. Ids of organizations, documents and annotations are
-- the caller's: the things themselves need not exist.

-- +goose Up

-- Domains, since a dispatch or a decision writes judgments: see executions.
CREATE DOMAIN judgment_origin AS text CHECK (VALUE IN ('step', 'comment'));
CREATE DOMAIN judge_type AS text CHECK (VALUE IN ('human', 'agent'));
CREATE DOMAIN share AS double precision CHECK (VALUE BETWEEN 0 AND 1);

-- origin and origin_id name the act that made the judgment; the act repeated
-- makes no second one. created_at is the time of the act, in milliseconds. Whoever
-- stores a judgment takes judge_type from whether there is an agent.
CREATE TABLE judgments (
    workspace_id    text NOT NULL,
    record_id       text NOT NULL COLLATE "C",
    origin          judgment_origin NOT NULL,
    origin_id       text NOT NULL COLLATE "C",
    decision        text NOT NULL,
    reasoning       text NOT NULL,
    content         text NOT NULL,
    content_type    text NOT NULL,
    confidence      share NOT NULL,
    judge_type      judge_type NOT NULL,
    user_id         text NOT NULL COLLATE "C",
    user_name       text NOT NULL,
    user_email      text,
    agent           json,
    organization_id text COLLATE "C",
    document_id     text COLLATE "C",
    annotation_id   text COLLATE "C",
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, record_id)
);
-- judgments/query, newest first: all of a workspace, and by each caller's id
-- that narrows most.
CREATE INDEX judgments_newest ON judgments (workspace_id, created_at DESC, record_id DESC);
CREATE INDEX judgments_of_organization ON judgments (workspace_id, organization_id, created_at DESC, record_id DESC)
    WHERE organization_id IS NOT NULL;
CREATE INDEX judgments_of_document ON judgments (workspace_id, document_id, created_at DESC, record_id DESC)
    WHERE document_id IS NOT NULL;
CREATE INDEX judgments_of_annotation ON judgments (workspace_id, annotation_id, created_at DESC, record_id DESC)
    WHERE annotation_id IS NOT NULL;
CREATE INDEX judgments_of_reviewer ON judgments (workspace_id, user_id, created_at DESC, record_id DESC);
-- Made last, as the keys of executions are.
CREATE UNIQUE INDEX judgments_once ON judgments (workspace_id, origin, origin_id);

-- +goose Down

DROP TABLE judgments;
DROP DOMAIN share;
DROP DOMAIN judge_type;
DROP DOMAIN judgment_origin;
