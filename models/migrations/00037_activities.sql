-- What was done, for those who asked to have it kept: one row for a flagged
-- comment. Ids of annotation and comment are the callers'; annotation_key has no
-- reference, since a record outlives what it is about.

-- +goose Up

CREATE TABLE activities (
    id             text PRIMARY KEY,
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    feature_type   text NOT NULL,
    action_type    text NOT NULL,
    action_user    json NOT NULL,
    annotation_key bigint NOT NULL,
    annotation_id  text NOT NULL COLLATE "C",
    comment_id     bigint NOT NULL,
    created_at     timestamptz NOT NULL
);
-- What goes with a document; its records, newest first.
CREATE INDEX activities_of_document ON activities (document_key, created_at DESC, id DESC);

-- +goose Down

DROP TABLE activities;
