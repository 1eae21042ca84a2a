-- Removes up to @most judgments of users of @workspace who left their organization, and returns their keys.
WITH gone AS (
    DELETE FROM judgments WHERE key = ANY (ARRAY(
        SELECT key FROM judgments WHERE ctid = ANY (ARRAY(
            SELECT j.ctid FROM former_members d CROSS JOIN LATERAL (
                SELECT ctid FROM judgments WHERE workspace_id = d.workspace_id AND user_id = d.user_id AND organization_key = d.organization_key
                       AND key <= d.through LIMIT @most) j
            WHERE d.workspace_id = @workspace LIMIT @most))
        ORDER BY key FOR UPDATE))
    RETURNING key, workspace_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM gone ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT key FROM gone
