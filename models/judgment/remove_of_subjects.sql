-- Removes up to @most judgments of organizations and documents of @workspace that were removed, and returns their keys.
WITH gone AS (
    DELETE FROM judgments WHERE key = ANY (ARRAY(
        SELECT key FROM judgments WHERE ctid = ANY (ARRAY(
            SELECT j.ctid FROM subjects r CROSS JOIN LATERAL (
                (SELECT ctid FROM judgments WHERE workspace_id = @workspace AND organization_key = r.key LIMIT @most)
                UNION (SELECT ctid FROM judgments WHERE workspace_id = @workspace AND document_key = r.key LIMIT @most)) j
            WHERE r.workspace_id = @workspace AND r.removed_at IS NOT NULL AND NOT r.judgments_gone LIMIT @most))
        ORDER BY key FOR UPDATE))
    RETURNING key, workspace_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM gone ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT key FROM gone
