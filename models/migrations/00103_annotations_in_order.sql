-- Annotations of a document in the order of their changes, all of them and those with one
-- value of a filter: a page is read where it begins, whatever else the document has. Values
-- that callers send stand there as hashes: an index row has one caller's id at most.

-- +goose NO TRANSACTION
-- +goose Up

-- What comments mentioned until now: those of some annotations at once, which are held
-- meanwhile. Markup is read as it is mostly written.
-- +goose StatementBegin
DO $$
DECLARE
    behind bigint := 0;
    looked bigint[];
BEGIN
    LOOP
        SELECT array_agg(few.key ORDER BY few.key) INTO looked
        FROM (SELECT a.key FROM annotations a WHERE a.key > behind ORDER BY a.key LIMIT 500) few;
        EXIT WHEN looked IS NULL;
        PERFORM FROM annotations a WHERE a.key = ANY (looked)
            AND EXISTS (SELECT FROM comments c WHERE c.annotation_key = a.key AND (c.comment_text LIKE '%{{%' OR c.comment_html LIKE '%{%'))
        ORDER BY a.key FOR NO KEY UPDATE;
        INSERT INTO annotation_mentions (annotation_key, user_id, workspace_id, document_key, updated_ms, annotation_id)
        SELECT DISTINCT a.key, tag.found[1], a.workspace_id, a.document_key, a.updated_ms, a.annotation_id
        FROM annotations a JOIN comments c ON c.annotation_key = a.key
        CROSS JOIN LATERAL (VALUES (c.comment_text), (
            replace(replace(replace(replace(replace(replace(replace(replace(
                regexp_replace(regexp_replace(regexp_replace(c.comment_html,
                    '<(script|style)\y[^>]*?>.*?</\1\s*?>', '', 'gi'), '<!--.*?-->', '', 'g'), '<[a-zA-Z/!?][^>]*>', '', 'g'),
            '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&#x27;', ''''), '&apos;', ''''), '&nbsp;', chr(160)), '&amp;', '&')
        )) AS source (text)
        CROSS JOIN LATERAL regexp_matches(source.text, '\{\{([^{}\u0001-\u001f\u007f-\u009f]{1,200})\}\}', 'g') AS tag (found)
        WHERE a.key = ANY (looked) AND (c.comment_text LIKE '%{{%' OR c.comment_html LIKE '%{%')
        ON CONFLICT DO NOTHING;
        behind := looked[cardinality(looked)];
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_in_order ON annotations (document_key, updated_ms, annotation_id) INCLUDE (key, created_ms);
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_of_author ON annotations
    (document_key, hashtextextended(author_id, 0), updated_ms, annotation_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_at_location ON annotations
    (document_key, hashtextextended(location_id, 0), updated_ms, annotation_id) WHERE location_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_of_status ON annotations
    (document_key, hashtextextended(status_id, 0), updated_ms, annotation_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_resolved ON annotations
    (document_key, hashtextextended(resolved_by, 0), updated_ms, annotation_id) WHERE resolved_by IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_of_kind ON annotations
    (document_key, hashtextextended(kind, 0), updated_ms, annotation_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_of_agent ON annotations
    (document_key, hashtextextended(agent->>'agentId', 0), updated_ms, annotation_id) WHERE agent->>'agentId' IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_of_execution ON annotations
    (document_key, hashtextextended(agent->>'executionId', 0), updated_ms, annotation_id) WHERE agent->>'executionId' IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_of_agent_type ON annotations
    (document_key, hashtextextended(agent->>'agentType', 0), updated_ms, annotation_id) WHERE agent->>'agentType' IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS annotations_suggested ON annotations (document_key, updated_ms, annotation_id)
    WHERE agent->>'agentType' IS NOT NULL AND suggestion->>'status' = 'pending';

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS annotations_suggested;
DROP INDEX CONCURRENTLY IF EXISTS annotations_of_agent_type;
DROP INDEX CONCURRENTLY IF EXISTS annotations_of_execution;
DROP INDEX CONCURRENTLY IF EXISTS annotations_of_agent;
DROP INDEX CONCURRENTLY IF EXISTS annotations_of_kind;
DROP INDEX CONCURRENTLY IF EXISTS annotations_resolved;
DROP INDEX CONCURRENTLY IF EXISTS annotations_of_status;
DROP INDEX CONCURRENTLY IF EXISTS annotations_at_location;
DROP INDEX CONCURRENTLY IF EXISTS annotations_of_author;
DROP INDEX CONCURRENTLY IF EXISTS annotations_in_order;
