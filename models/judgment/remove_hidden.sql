-- Removes the judgments @keys that are hidden, and returns their workspaces and keys.
WITH gone AS (
    DELETE FROM judgments WHERE key = ANY (ARRAY(
        SELECT j.key FROM judgments j
        WHERE j.key = ANY (@keys)
              AND NOT (coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = j.organization_key), true)
                   AND coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = j.document_key), true)
                   AND coalesce((SELECT j.key > d.through FROM former_members d WHERE d.organization_key = j.organization_key AND d.user_id = j.user_id), true))
        ORDER BY j.key FOR UPDATE))
    RETURNING key, workspace_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM gone ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT workspace_id, key FROM gone
