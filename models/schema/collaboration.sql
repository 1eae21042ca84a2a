-- Annotations of documents, their comments, how far each user has read, who was notified of what, and the record of
-- what was done. Times that callers send are epoch milliseconds and are only shown, filtered and sorted by; order
-- and unread come from counters. Values that callers send stand in indexes as hashes: an index row has one caller's
-- id at most.

-- author_id is the author of the root comment as first written. last_seq is the number of the newest comment,
-- last_author who wrote it, other_seq the number of the newest one by anybody else: with these three, unread is
-- known for every user without touching comments. gone_seq is the highest number that a deleted comment had, 0 for
-- none: the next comment has a higher one, so that nobody has read it. thread_bytes is all that is stored of the
-- annotation with its comments, which bounds threads, pages and what one call changes.
-- resolved_by is who resolved an annotation whose status is terminal, status_updated_by whom the caller names for
-- the last change of its status. kept are fields that are only shown again: actions, pageInfo, positions.
CREATE TABLE annotations (
    key               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id      text NOT NULL,
    annotation_id     text NOT NULL COLLATE "C" CHECK (annotation_id <> ''),
    document_key      bigint NOT NULL REFERENCES document_rows (key) ON DELETE CASCADE,
    author_id         text NOT NULL COLLATE "C",
    author            json NOT NULL,
    kind              text NOT NULL CHECK (kind IN ('comment', 'suggestion')),
    comment_type      text NOT NULL CHECK (comment_type IN ('manual', 'chart', 'suggestion')),
    status_id         text NOT NULL COLLATE "C",
    status            json NOT NULL,
    resolved_by       text COLLATE "C",
    status_updated_by text COLLATE "C",
    visibility        text NOT NULL CHECK (visibility IN ('public', 'organizationPrivate', 'restricted')),
    visible_to_org    text COLLATE "C",
    visible_to        text[] COLLATE "C",
    location_id       text COLLATE "C",
    location          json,
    target            json,
    context           json,
    priority          json,
    assigned          json,
    agent             json,
    suggestion        json,
    kept              json,
    created_ms        bigint NOT NULL,
    updated_ms        bigint NOT NULL,
    comment_count     integer NOT NULL CHECK (comment_count > 0),
    last_seq          bigint NOT NULL,
    last_author       text NOT NULL COLLATE "C",
    other_seq         bigint NOT NULL,
    gone_seq          bigint NOT NULL DEFAULT 0,
    thread_bytes      bigint NOT NULL,
    CHECK ((kind = 'suggestion') = (suggestion IS NOT NULL)),
    CHECK ((visibility = 'organizationPrivate') = (visible_to_org IS NOT NULL)),
    CHECK ((visibility = 'restricted') = (visible_to IS NOT NULL)),
    CONSTRAINT annotations_id UNIQUE (workspace_id, annotation_id)
) WITH (fillfactor = 85);
CREATE INDEX annotations_kept ON annotations (workspace_id, annotation_id) WHERE kept IS NOT NULL; -- erasure
CREATE INDEX annotations_by_id ON annotations (document_key, annotation_id); -- update, delete, read of all in a document: so many at once, by id
-- commentannotations/get, latest change first or last: all of a document, and those with one value of a filter. A page is
-- read where it begins, whatever else the document has. In v1, where ids rise within one time, it is sorted time by time.
CREATE INDEX annotations_in_order ON annotations (document_key, updated_ms, annotation_id) INCLUDE (key, created_ms);
CREATE INDEX annotations_of_author ON annotations (document_key, hashtextextended(author_id, 0), updated_ms, annotation_id);
CREATE INDEX annotations_at_location ON annotations (document_key, hashtextextended(location_id, 0), updated_ms, annotation_id)
    WHERE location_id IS NOT NULL;
CREATE INDEX annotations_of_status ON annotations (document_key, hashtextextended(status_id, 0), updated_ms, annotation_id);
CREATE INDEX annotations_resolved ON annotations (document_key, hashtextextended(resolved_by, 0), updated_ms, annotation_id)
    WHERE resolved_by IS NOT NULL;
CREATE INDEX annotations_of_kind ON annotations (document_key, hashtextextended(kind, 0), updated_ms, annotation_id);
CREATE INDEX annotations_of_agent ON annotations (document_key, hashtextextended(agent->>'agentId', 0), updated_ms, annotation_id)
    WHERE agent->>'agentId' IS NOT NULL;
CREATE INDEX annotations_of_execution ON annotations (document_key, hashtextextended(agent->>'executionId', 0), updated_ms, annotation_id)
    WHERE agent->>'executionId' IS NOT NULL;
CREATE INDEX annotations_of_run ON annotations (workspace_id, hashtextextended(agent->>'executionId', 0), annotation_id)
    WHERE agent->>'executionId' IS NOT NULL; -- agents/execution/get and list: what agents found
CREATE INDEX annotations_of_agent_url ON annotations (document_key, hashtextextended(agent->>'url', 0), annotation_id)
    WHERE agent->>'url' IS NOT NULL; -- delete, of agents with a page
CREATE INDEX annotations_of_agent_type ON annotations (document_key, hashtextextended(agent->>'agentType', 0), updated_ms, annotation_id)
    WHERE agent->>'agentType' IS NOT NULL;
CREATE INDEX annotations_suggested ON annotations (document_key, updated_ms, annotation_id)
    WHERE agent->>'agentType' IS NOT NULL AND suggestion->>'status' = 'pending';

-- seq is the place in the thread and rises with every comment of the annotation, under its lock. judged says that
-- the comment has said something and so got a judgment, which it may have lost to others since: an edit makes none
-- then. kept are fields that are only shown again: attachments, progress, actions.
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
    kept           json,
    contacts       json,
    agent          json,
    created_ms     bigint NOT NULL,
    updated_ms     bigint NOT NULL,
    judged         boolean NOT NULL DEFAULT true,
    PRIMARY KEY (annotation_key, seq),
    CONSTRAINT comments_id UNIQUE (annotation_key, comment_id)
);
CREATE INDEX comments_of_author ON comments (hashtextextended(author_id, 0), workspace_id, annotation_key, seq); -- users/data/get; erasure

CREATE INDEX comments_kept ON comments (workspace_id, annotation_key, seq) WHERE kept IS NOT NULL; -- erasure

-- Whom the comments of annotations tag, so that those which mention a user are found in order without a look at any
-- comment. updated_ms and annotation_id are those of the annotation: where it stands in lists.
CREATE TABLE annotation_mentions (
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    user_id        text NOT NULL COLLATE "C",
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL,
    updated_ms     bigint NOT NULL,
    annotation_id  text NOT NULL COLLATE "C",
    PRIMARY KEY (annotation_key, user_id)
);
-- commentannotations/get, mentionedUserIds
CREATE INDEX annotation_mentions_in_order ON annotation_mentions (document_key, hashtextextended(user_id, 0), updated_ms, annotation_id);
CREATE INDEX annotation_mentions_of_user ON annotation_mentions (hashtextextended(user_id, 0), workspace_id, annotation_key); -- users/data/get; erasure

-- Every change of an annotation has a time of its own, whatever else it does: what mentions somebody follows by
-- itself. Who changes an annotation holds it.
CREATE FUNCTION follow_mentions() RETURNS trigger
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        UPDATE annotation_mentions SET updated_ms = NEW.updated_ms WHERE annotation_key = NEW.key;
        RETURN NULL;
    END $$;
CREATE TRIGGER follow_mentions AFTER UPDATE OF updated_ms ON annotations
    FOR EACH ROW WHEN (OLD.updated_ms <> NEW.updated_ms) EXECUTE FUNCTION follow_mentions();

-- The number of the newest comment that a user has read of an annotation.
CREATE TABLE read_marks (
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    user_id        text NOT NULL COLLATE "C",
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL,
    seq            bigint NOT NULL,
    PRIMARY KEY (annotation_key, user_id)
);
CREATE INDEX read_marks_in_document ON read_marks (document_key, user_id, annotation_key) INCLUDE (seq); -- count/get

-- The same of a document of which all annotations were read at once. These marks are beside those that comments and
-- single annotations move, so that who writes a comment never waits for such a call, however many annotations it
-- marks. The higher one counts.
CREATE TABLE document_read_marks (
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    user_id        text NOT NULL COLLATE "C",
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL,
    seq            bigint NOT NULL,
    PRIMARY KEY (annotation_key, user_id)
);
CREATE INDEX document_read_marks_in_document ON document_read_marks (document_key, user_id, annotation_key) INCLUDE (seq); -- count/get

-- Who could see an annotation that was deleted, as long as there are activities about it.
CREATE TABLE deleted_annotations (
    annotation_key bigint PRIMARY KEY,
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL REFERENCES document_rows (key) ON DELETE CASCADE,
    annotation_id  text NOT NULL COLLATE "C",
    author_id      text NOT NULL,
    visibility     text NOT NULL CHECK (visibility IN ('public', 'organizationPrivate', 'restricted')),
    visible_to_org text,
    visible_to     text[]
);
CREATE INDEX deleted_annotations_by_id ON deleted_annotations (workspace_id, annotation_id); -- activities/add about one
CREATE INDEX deleted_annotations_of_document ON deleted_annotations (document_key); -- what goes with a document

-- A notification is of one comment, or of what a caller says of a document (custom), perhaps under an id of its own; its text and who may
-- see it are judged when it is read. Of a comment there is
-- one for those whom it concerned when it was added, and one for each edit that tagged somebody else. Ids rise with
-- time.
CREATE TABLE notifications (
    id             text PRIMARY KEY,
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL,
    annotation_key bigint REFERENCES annotations (key) ON DELETE CASCADE,
    comment_seq    bigint,
    own_id         text COLLATE "C",
    custom         json,
    action_user    json NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((annotation_key IS NULL) = (comment_seq IS NULL)),
    CHECK ((annotation_key IS NULL) = (custom IS NOT NULL)),
    CHECK (own_id IS NULL OR custom IS NOT NULL)
);
CREATE UNIQUE INDEX notifications_own_id ON notifications (workspace_id, own_id) WHERE own_id IS NOT NULL; -- those that are named by it
CREATE INDEX notifications_of_document ON notifications (document_key, id); -- notifications/get, of a document
CREATE INDEX notifications_of_comment ON notifications (annotation_key, comment_seq); -- what goes with a comment, an annotation
CREATE INDEX notifications_custom ON notifications (workspace_id, id) WHERE custom IS NOT NULL; -- erasure
CREATE INDEX notifications_oldest ON notifications (created_at); -- age

-- reason is the first of the recipient's.
CREATE TABLE notification_recipients (
    notification_id  text NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    user_id          text NOT NULL COLLATE "C",
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL,
    document_key     bigint NOT NULL,
    reason           text NOT NULL CHECK (reason IN ('mention', 'assignment', 'reply', 'all', 'direct')),
    read_at          timestamptz,
    PRIMARY KEY (notification_id, user_id)
);
CREATE INDEX notification_recipients_of_user ON notification_recipients (organization_key, user_id, notification_id); -- notifications/get, of a user
-- notifications/get, of a user in a document
CREATE INDEX notification_recipients_in_document ON notification_recipients (document_key, user_id, notification_id);
-- what reading annotations marks
CREATE INDEX notification_recipients_unread ON notification_recipients (workspace_id, user_id, notification_id) WHERE read_at IS NULL;

-- Whom a job has yet to notify of a change: a portion at a time, which goes with the transaction that writes it.
CREATE TABLE notification_portions (
    job_id       text NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    n            integer NOT NULL,
    workspace_id text NOT NULL,
    portion      json NOT NULL,
    PRIMARY KEY (job_id, n)
);

-- What users want to be told of. Without a document a preference is for all documents of the organization that have
-- none of their own. A channel that is NULL is as if there were no row; slack is kept for a sender of the caller's.
CREATE TABLE notification_preferences (
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    document_key     bigint REFERENCES document_rows (key) ON DELETE CASCADE,
    user_id          text NOT NULL COLLATE "C",
    inbox            text CHECK (inbox IN ('ALL', 'MINE', 'NONE')),
    email            text CHECK (email IN ('ALL', 'MINE', 'NONE')),
    slack            text CHECK (slack IN ('ALL', 'MINE', 'NONE')),
    CONSTRAINT notification_preferences_once UNIQUE NULLS NOT DISTINCT (organization_key, user_id, document_key)
);
-- who is told of every comment
CREATE INDEX notification_preferences_all ON notification_preferences (organization_key, document_key, user_id) WHERE inbox = 'ALL' OR email = 'ALL';
-- what goes with a document
CREATE INDEX notification_preferences_of_document ON notification_preferences (document_key) WHERE document_key IS NOT NULL;

-- What a workspace has set for its notifications; without a row all of it is as in a new one. off are the reasons by which
-- nobody is notified.
CREATE TABLE notification_settings (
    workspace_id     text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    enabled          boolean NOT NULL DEFAULT true,
    off              text[] NOT NULL DEFAULT '{}',
    delayed          boolean NOT NULL DEFAULT false,
    delay_seconds    integer NOT NULL DEFAULT 300 CHECK (delay_seconds BETWEEN 10 AND 15552000),
    document_batched boolean NOT NULL DEFAULT false,
    document_window  integer NOT NULL DEFAULT 300 CHECK (document_window BETWEEN 10 AND 604800),
    document_most    integer NOT NULL DEFAULT 10 CHECK (document_most BETWEEN 2 AND 50),
    user_batched     boolean NOT NULL DEFAULT false,
    user_window      integer NOT NULL DEFAULT 300 CHECK (user_window BETWEEN 10 AND 604800),
    user_most        integer NOT NULL DEFAULT 10 CHECK (user_most BETWEEN 2 AND 50)
);

-- What a workspace has set for its activities, likewise. off are the actions of which no record is written.
CREATE TABLE activity_settings (
    workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    enabled      boolean NOT NULL DEFAULT true,
    enabled_at   timestamptz,
    immutable    boolean NOT NULL DEFAULT true,
    off          text[] NOT NULL DEFAULT '{}'
);

-- What was done, for those who asked to have it kept. Ids may be callers' and are unique in a workspace.
-- document_key is 0 for what is about no document, annotation_key 0 for what is about no annotation; neither has a
-- reference, since a record outlives its annotation. annotation_id is what the record is about, empty for nothing:
-- an annotation or whatever a caller says; in it, by what a caller says, target_sub, else the comment. message is
-- the template with its places filled. changes is {field: {from, to}}; nothing where something was added. Nobody
-- changes or deletes an immutable one; it goes with what it is in.
CREATE TABLE activities (
    id               text NOT NULL,
    workspace_id     text NOT NULL,
    organization_key bigint NOT NULL REFERENCES organizations (key) ON DELETE CASCADE,
    document_key     bigint NOT NULL,
    feature_type     text NOT NULL,
    action_type      text NOT NULL,
    action_user      json NOT NULL,
    annotation_key   bigint NOT NULL,
    annotation_id    text NOT NULL COLLATE "C",
    comment_id       bigint NOT NULL,
    target_sub       text COLLATE "C",
    changes          json,
    entity_data      json,
    entity_target    json,
    immutable        boolean NOT NULL,
    template         text NOT NULL DEFAULT '',
    template_data    json,
    message          text NOT NULL DEFAULT '',
    icon             text NOT NULL DEFAULT '',
    created_at       timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX activities_of_document ON activities (document_key, created_at DESC, id DESC); -- activities/get, of a document; what goes with it
CREATE INDEX activities_of_organization ON activities (organization_key, created_at DESC, id DESC); -- activities/get, of all
-- activities/get, targetEntityId
CREATE INDEX activities_of_target ON activities (organization_key, hashtextextended(annotation_id, 0), created_at DESC, id DESC);
-- activities/get, userId
CREATE INDEX activities_of_actor ON activities (organization_key, hashtextextended(action_user->>'userId', 0), created_at DESC, id DESC);
CREATE INDEX activities_of_annotation ON activities (annotation_key); -- whether a deleted annotation has any

-- Records go with their document, though no reference holds them.
CREATE FUNCTION remove_activities() RETURNS trigger
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        DELETE FROM activities WHERE document_key = OLD.key;
        RETURN NULL;
    END $$;
CREATE TRIGGER remove_activities AFTER DELETE ON document_rows FOR EACH ROW EXECUTE FUNCTION remove_activities();
