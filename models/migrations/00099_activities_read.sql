-- Lists of activities, newest first: of an organization, of what they are about and of who
-- acted, beside those of a document. Their ids may be callers' and are unique in a workspace.

-- +goose NO TRANSACTION
-- +goose Up

-- What a caller names is found by its hash: no row of an index has two ids of callers.
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_of_organization ON activities (organization_key, created_at DESC, id DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_of_target
    ON activities (organization_key, hashtextextended(annotation_id, 0), created_at DESC, id DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_of_actor
    ON activities (organization_key, hashtextextended(action_user->>'userId', 0), created_at DESC, id DESC);
-- Whether there are any about an annotation that is deleted.
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_of_annotation ON activities (annotation_key);

-- The organizations of the records that are there, some at a time.
-- +goose StatementBegin
DO $$
DECLARE
    done text := '';
    upto text;
BEGIN
    LOOP
        SELECT max(id) INTO upto FROM (SELECT id FROM activities WHERE id > done ORDER BY id LIMIT 1000) few;
        EXIT WHEN upto IS NULL;
        UPDATE activities a SET organization_key = d.organization_key FROM documents d
        WHERE d.key = a.document_key AND a.organization_key IS NULL AND a.id > done AND a.id <= upto;
        COMMIT;
        done := upto;
    END LOOP;
END $$;
-- +goose StatementEnd

-- A record about no document has 0, which a reference would refuse.
ALTER TABLE activities DROP CONSTRAINT IF EXISTS activities_document_key_fkey;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS activities_ids ON activities (workspace_id, id);
ALTER TABLE activities DROP CONSTRAINT activities_pkey, ADD CONSTRAINT activities_pkey PRIMARY KEY USING INDEX activities_ids;

-- +goose Down

-- The release before knows only records of documents, with ids of ours.
DELETE FROM activities WHERE document_key = 0 OR id !~ '^act_[0-9a-z]{26}$';
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS activities_ids ON activities (id);
ALTER TABLE activities DROP CONSTRAINT activities_pkey, ADD CONSTRAINT activities_pkey PRIMARY KEY USING INDEX activities_ids;
ALTER TABLE activities ADD CONSTRAINT activities_document_key_fkey FOREIGN KEY (document_key) REFERENCES documents (key) ON DELETE CASCADE NOT VALID;
ALTER TABLE activities VALIDATE CONSTRAINT activities_document_key_fkey;
DROP INDEX CONCURRENTLY IF EXISTS activities_of_annotation;
DROP INDEX CONCURRENTLY IF EXISTS activities_of_actor;
DROP INDEX CONCURRENTLY IF EXISTS activities_of_target;
DROP INDEX CONCURRENTLY IF EXISTS activities_of_organization;
