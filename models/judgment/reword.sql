-- Lets the judgments from the annotation @annotation of @workspace say @now where they quote @was, and returns the record ids of those that change.
WITH changed AS (
    UPDATE judgments SET reasoning = replace(reasoning, @was, @now), content = replace(content, @was, @now)
    WHERE key = ANY (ARRAY(
        SELECT key FROM judgments WHERE workspace_id = @workspace AND annotation_id = @annotation
               AND (position(@was::text in reasoning) > 0 OR position(@was::text in content) > 0)
        ORDER BY key FOR UPDATE))
    RETURNING key, workspace_id, record_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM changed ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT record_id FROM changed
