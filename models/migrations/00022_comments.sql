-- Annotations of documents, their comments, how far each user has read, and who
-- was notified of what. Times that callers send are epoch milliseconds and are
-- only shown, filtered and sorted by; order and unread come from counters.

-- +goose Up

-- author_id is the author of the root comment as first written. last_seq is the
-- number of the newest comment, last_author who wrote it, other_seq the number
-- of the newest one by anybody else: with these three, unread is known for every
-- user without touching comments. thread_bytes bounds threads and pages.
CREATE TABLE annotations (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id     text NOT NULL,
    annotation_id    text NOT NULL COLLATE "C" CHECK (annotation_id <> ''),
    document_key     bigint NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    author_id        text NOT NULL COLLATE "C",
    author           json NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('comment', 'suggestion')),
    comment_type     text NOT NULL CHECK (comment_type IN ('manual', 'chart', 'suggestion')),
    status_id        text NOT NULL COLLATE "C",
    status           json NOT NULL,
    visibility       text NOT NULL CHECK (visibility IN ('public', 'organizationPrivate', 'restricted')),
    visible_to_org   text COLLATE "C",
    visible_to       text[] COLLATE "C",
    location_id      text COLLATE "C",
    location         json,
    target           json,
    context          json,
    priority         json,
    assigned_id      text COLLATE "C",
    assigned         json,
    agent            json,
    suggestion       json,
    created_ms       bigint NOT NULL,
    updated_ms       bigint NOT NULL,
    comment_count    integer NOT NULL CHECK (comment_count > 0),
    last_seq         bigint NOT NULL,
    last_author      text NOT NULL COLLATE "C",
    other_seq        bigint NOT NULL,
    thread_bytes     bigint NOT NULL,
    CHECK ((kind = 'suggestion') = (suggestion IS NOT NULL)),
    CHECK ((visibility = 'organizationPrivate') = (visible_to_org IS NOT NULL)),
    CHECK ((visibility = 'restricted') = (visible_to IS NOT NULL)),
    CONSTRAINT annotations_id UNIQUE (workspace_id, annotation_id)
) WITH (fillfactor = 85);
-- commentannotations/get and count/get: those of a document, latest change first.
CREATE INDEX annotations_of_document ON annotations (document_key, updated_ms DESC, annotation_id);

-- seq is the place in the thread and rises with every comment of the annotation,
-- under its lock.
CREATE TABLE comments (
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    seq            bigint NOT NULL,
    comment_id     bigint NOT NULL CHECK (comment_id BETWEEN 1 AND 9007199254740991),
    workspace_id   text NOT NULL,
    status         text NOT NULL DEFAULT 'added' CHECK (status IN ('added', 'updated')),
    comment_text   text NOT NULL,
    comment_html   text NOT NULL,
    text_available boolean NOT NULL,
    resolver_used  boolean NOT NULL,
    author_id      text NOT NULL COLLATE "C",
    author         json NOT NULL,
    context        json,
    contacts       json,
    agent          json,
    created_ms     bigint NOT NULL,
    updated_ms     bigint NOT NULL,
    PRIMARY KEY (annotation_key, seq),
    CONSTRAINT comments_id UNIQUE (annotation_key, comment_id)
);

-- The number of the newest comment that a user has read of an annotation.
CREATE TABLE read_marks (
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    user_id        text NOT NULL COLLATE "C",
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL,
    seq            bigint NOT NULL,
    PRIMARY KEY (annotation_key, user_id)
);

-- count/get: the marks of one user in documents.
CREATE INDEX read_marks_in_document ON read_marks (document_key, user_id, annotation_key) INCLUDE (seq);

-- A notification is of one comment; its text and who may see it are judged when
-- it is read. reason is the first of its recipients'.
CREATE TABLE notifications (
    id             text PRIMARY KEY,
    workspace_id   text NOT NULL,
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    comment_seq    bigint NOT NULL,
    action_user    json NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT notifications_once UNIQUE (annotation_key, comment_seq)
);

CREATE TABLE notification_recipients (
    notification_id text NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    user_id         text NOT NULL COLLATE "C",
    workspace_id    text NOT NULL,
    reason          text NOT NULL CHECK (reason IN ('mention', 'assignment', 'reply')),
    read_at         timestamptz,
    PRIMARY KEY (notification_id, user_id)
);

-- +goose Down

DROP TABLE notification_recipients;
DROP TABLE notifications;
DROP TABLE read_marks;
DROP TABLE comments;
DROP TABLE annotations;
