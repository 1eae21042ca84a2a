-- Removes up to $2 uploads of the workspace $1; their files are nobody's from then on.
WITH gone AS (
    DELETE FROM uploads WHERE ctid = ANY (ARRAY(SELECT ctid FROM uploads WHERE workspace_id = $1 LIMIT $2)) RETURNING workspace_id, blob_key
), kept AS (
    INSERT INTO unclaimed_files (workspace_id, blob_key, since)
    SELECT DISTINCT workspace_id, blob_key, clock_timestamp() FROM gone WHERE blob_key <> '' ON CONFLICT DO NOTHING
)
SELECT FROM gone
