-- Removes the judgments of the comments @origins of @workspace, and returns their keys and origins.
WITH gone AS (
    DELETE FROM judgments WHERE key = ANY (ARRAY(
        SELECT key FROM judgments WHERE workspace_id = @workspace AND origin = 'comment' AND origin_id = ANY (@origins) ORDER BY key FOR UPDATE))
    RETURNING key, workspace_id, origin_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM gone ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT key, origin_id FROM gone
