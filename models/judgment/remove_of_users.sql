-- Removes up to @most judgments of the users @users of @workspace, in the organizations @subjects or, where that is NULL, in any and in none,
-- and returns their keys.
WITH gone AS (
    DELETE FROM judgments WHERE key = ANY (ARRAY(
        SELECT key FROM judgments WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM judgments WHERE workspace_id = @workspace AND user_id = ANY (@users)
                   AND (@subjects::bigint[] IS NULL OR organization_key = ANY (@subjects)) LIMIT @most))
        ORDER BY key FOR UPDATE))
    RETURNING key, workspace_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM gone ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT key FROM gone
