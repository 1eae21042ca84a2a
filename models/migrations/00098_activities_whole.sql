-- Activities are read and added by callers: a record has an entity, a message and the
-- organization, and need not be about a document.

-- +goose Up

-- document_key is 0 for what is about no document, annotation_key 0 for what is about no
-- annotation. annotation_id is what the record is about, empty for nothing: an annotation
-- or whatever a caller says; in it, by what a caller says, target_sub, else the comment.
-- message is the template with its places filled.
ALTER TABLE activities
    ADD COLUMN organization_key bigint REFERENCES organizations (key) ON DELETE CASCADE,
    ADD COLUMN target_sub text COLLATE "C",
    ADD COLUMN entity_data json,
    ADD COLUMN template text NOT NULL DEFAULT '',
    ADD COLUMN template_data json,
    ADD COLUMN message text NOT NULL DEFAULT '',
    ADD COLUMN icon text NOT NULL DEFAULT '';

-- Records go with their document, also those that no reference holds.
-- +goose StatementBegin
CREATE FUNCTION remove_activities() RETURNS trigger
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        DELETE FROM activities WHERE document_key = OLD.key;
        RETURN NULL;
    END $$;
-- +goose StatementEnd
CREATE TRIGGER remove_activities AFTER DELETE ON documents FOR EACH ROW EXECUTE FUNCTION remove_activities();

-- The release before knows no organization of a record and may still write some.
-- +goose StatementBegin
CREATE FUNCTION place_activity() RETURNS trigger
    LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
    AS $$
    BEGIN
        SELECT d.organization_key INTO NEW.organization_key FROM documents d WHERE d.key = NEW.document_key;
        RETURN NEW;
    END $$;
-- +goose StatementEnd
CREATE TRIGGER place_activity BEFORE INSERT ON activities FOR EACH ROW WHEN (NEW.organization_key IS NULL) EXECUTE FUNCTION place_activity();

-- Who could see an annotation that was deleted, as long as there are records about it.
CREATE TABLE deleted_annotations (
    annotation_key bigint PRIMARY KEY,
    workspace_id   text NOT NULL,
    document_key   bigint NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    annotation_id  text NOT NULL COLLATE "C",
    author_id      text NOT NULL,
    visibility     text NOT NULL CHECK (visibility IN ('public', 'organizationPrivate', 'restricted')),
    visible_to_org text,
    visible_to     text[]
);
CREATE INDEX deleted_annotations_by_id ON deleted_annotations (workspace_id, annotation_id);
CREATE INDEX deleted_annotations_of_document ON deleted_annotations (document_key);

-- +goose Down

DROP TABLE deleted_annotations;
DROP TRIGGER place_activity ON activities;
DROP FUNCTION place_activity();
DROP TRIGGER remove_activities ON documents;
DROP FUNCTION remove_activities();
ALTER TABLE activities
    DROP COLUMN organization_key, DROP COLUMN target_sub, DROP COLUMN entity_data, DROP COLUMN template,
    DROP COLUMN template_data, DROP COLUMN message, DROP COLUMN icon;
