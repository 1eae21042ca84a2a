-- Removes the records @ids of @workspace that are not hidden, and returns their keys and ids.
WITH gone AS (
    DELETE FROM judgments j
    WHERE j.workspace_id = @workspace AND j.record_id = ANY (@ids)
          AND coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = j.organization_key), true)
          AND coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = j.document_key), true)
          AND coalesce((SELECT j.key > d.through FROM former_members d WHERE d.organization_key = j.organization_key AND d.user_id = j.user_id), true)
    RETURNING j.key, j.workspace_id, j.record_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM gone ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT key, record_id FROM gone
