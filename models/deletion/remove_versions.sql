-- Removes up to $2 versions of sources of the workspace $1; their files are nobody's from then on. The canonical text has
-- its file before its row names it.
WITH gone AS (
    DELETE FROM source_versions WHERE ctid = ANY (ARRAY(SELECT ctid FROM source_versions WHERE workspace_id = $1 LIMIT $2))
    RETURNING workspace_id, source_id, version, original_key, canonical_key
), kept AS (
    INSERT INTO unclaimed_files (workspace_id, blob_key, since)
    SELECT DISTINCT g.workspace_id, k.blob_key, clock_timestamp() FROM gone g
    CROSS JOIN LATERAL (VALUES (g.original_key), (g.canonical_key),
                               (format('sources/%s/%s/v%s/canonical.md', g.workspace_id, g.source_id, g.version))) AS k (blob_key)
    WHERE k.blob_key <> '' ON CONFLICT DO NOTHING
)
SELECT FROM gone
