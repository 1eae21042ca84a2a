-- How far a user has read the annotations of a document of which all were read at once.
-- They are beside the marks that comments and single annotations move, so that who
-- writes a comment never waits for such a call, however many annotations it marks.

-- +goose Up

-- The mark of a user of an annotation is the higher one of both tables.
CREATE TABLE document_read_marks (
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    user_id        text NOT NULL COLLATE "C",
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL,
    seq            bigint NOT NULL,
    PRIMARY KEY (annotation_key, user_id)
);

-- count/get: the marks of one user in documents.
CREATE INDEX document_read_marks_in_document ON document_read_marks (document_key, user_id, annotation_key) INCLUDE (seq);

-- +goose Down

DROP TABLE document_read_marks;
