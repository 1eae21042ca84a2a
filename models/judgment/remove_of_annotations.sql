-- Removes the judgments that come from the annotations @ids of @workspace, and returns their keys. The key of an annotation, @keys, says which
-- one is meant: another may have had the id before. What a caller recorded stays.
WITH gone AS (
    DELETE FROM judgments WHERE key = ANY (ARRAY(
        SELECT key FROM judgments
        WHERE workspace_id = @workspace AND annotation_id = ANY (@ids) AND origin IN ('comment', 'status', 'suggestion')
              AND split_part(origin_id, '/', 1) = ANY (@keys)
        ORDER BY key FOR UPDATE))
    RETURNING key, workspace_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM gone ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT key FROM gone
