-- The files that rows name, but for those of versions that are on their way out, and of what is being written.
SELECT original_key AS blob_key FROM source_versions v JOIN sources s ON (s.workspace_id, s.id) = (v.workspace_id, v.source_id)
WHERE v.state <> 'retired' AND NOT s.removed
UNION
SELECT canonical_key FROM source_versions v JOIN sources s ON (s.workspace_id, s.id) = (v.workspace_id, v.source_id)
WHERE v.state <> 'retired' AND NOT s.removed AND canonical_key IS NOT NULL
UNION
SELECT blob_key FROM uploads WHERE state = 'uploaded' AND blob_key IS NOT NULL
UNION
SELECT blob_key FROM exports WHERE blob_key IS NOT NULL
ORDER BY blob_key
