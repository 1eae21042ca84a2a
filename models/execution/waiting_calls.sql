-- Returns, of each workspace with free slots that is not stopped, how many these are and its calls that wait longest: as many,
-- and @spare more in case that the first ones cannot be given a slot. A workspace has @slots.
WITH waiting AS (
    SELECT DISTINCT workspace_id FROM steps q WHERE queued_at IS NOT NULL
           AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = q.workspace_id AND w.stopped_at IS NOT NULL)
), free AS MATERIALIZED (
    SELECT w.workspace_id, @slots - (SELECT count(*) FROM steps h WHERE h.workspace_id = w.workspace_id AND h.locked_until > clock_timestamp()) AS slots
    FROM waiting w
)
SELECT q.workspace_id, q.execution_id, q.id, f.slots
FROM free f CROSS JOIN LATERAL (
    SELECT workspace_id, execution_id, id, queued_at FROM steps
    WHERE workspace_id = f.workspace_id AND queued_at IS NOT NULL ORDER BY queued_at
    LIMIT CASE WHEN f.slots > 0 THEN f.slots + @spare ELSE 0 END
) q ORDER BY q.queued_at
