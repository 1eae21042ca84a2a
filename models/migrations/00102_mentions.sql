-- Whom the comments of annotations tag, so that those which mention a user are found in
-- order without a look at any comment.

-- +goose Up

-- updated_ms and annotation_id are those of the annotation: where it stands in lists.
CREATE TABLE annotation_mentions (
    annotation_key bigint NOT NULL REFERENCES annotations (key) ON DELETE CASCADE,
    user_id        text NOT NULL COLLATE "C",
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL,
    updated_ms     bigint NOT NULL,
    annotation_id  text NOT NULL COLLATE "C",
    PRIMARY KEY (annotation_key, user_id)
);

-- commentannotations/get: those of a document that mention one user, in the order of
-- their changes. The user stands there as a hash: an index row has one caller's id at most.
CREATE INDEX annotation_mentions_in_order ON annotation_mentions
    (document_key, hashtextextended(user_id, 0), updated_ms, annotation_id);

-- Every change of an annotation has a time of its own, whatever else it does: what
-- mentions somebody follows by itself. Who changes an annotation holds it.
-- +goose StatementBegin
CREATE FUNCTION follow_mentions() RETURNS trigger
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        UPDATE annotation_mentions SET updated_ms = NEW.updated_ms WHERE annotation_key = NEW.key;
        RETURN NULL;
    END $$;
-- +goose StatementEnd
CREATE TRIGGER follow_mentions AFTER UPDATE OF updated_ms ON annotations
    FOR EACH ROW WHEN (OLD.updated_ms <> NEW.updated_ms) EXECUTE FUNCTION follow_mentions();

-- +goose Down

DROP TRIGGER follow_mentions ON annotations;
DROP FUNCTION follow_mentions();
DROP TABLE annotation_mentions;
