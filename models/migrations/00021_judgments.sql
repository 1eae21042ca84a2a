-- Recorded acts of review. Ids of organizations, documents and annotations are
-- the caller's: the things themselves need not exist.

-- +goose Up

-- origin and origin_id name the act that made the judgment; the act repeated
-- makes no second one. created_at is the time of the act, in milliseconds.
CREATE TABLE judgments (
    workspace_id    text NOT NULL,
    record_id       text NOT NULL COLLATE "C",
    origin          text NOT NULL CHECK (origin IN ('step', 'comment')),
    origin_id       text NOT NULL COLLATE "C",
    decision        text NOT NULL,
    reasoning       text NOT NULL,
    content         text NOT NULL,
    content_type    text NOT NULL,
    confidence      double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    judge_type      text NOT NULL CHECK (judge_type IN ('human', 'agent')),
    user_id         text NOT NULL COLLATE "C",
    user_name       text NOT NULL,
    user_email      text,
    agent           json,
    organization_id text COLLATE "C",
    document_id     text COLLATE "C",
    annotation_id   text COLLATE "C",
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, record_id),
    CHECK ((judge_type = 'agent') = (agent IS NOT NULL))
);
CREATE UNIQUE INDEX judgments_once ON judgments (workspace_id, origin, origin_id);
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

-- +goose Down

DROP TABLE judgments;
