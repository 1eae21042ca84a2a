-- Returns, of each workspace with free slots that is not stopped, how many these are and its calls that wait longest: as many,
-- and @spare more in case that the first ones cannot be given a slot. A workspace has @slots. The first ones of all workspaces
-- come first: however many calls wait in one, they cost another no more than one of them. Workspaces are found one behind the
-- other in the index, whatever waits in each.
WITH RECURSIVE queued (workspace_id) AS (
    (SELECT workspace_id FROM steps WHERE queued_at IS NOT NULL ORDER BY workspace_id LIMIT 1)
    UNION ALL
    SELECT (SELECT workspace_id FROM steps WHERE queued_at IS NOT NULL AND workspace_id > q.workspace_id ORDER BY workspace_id LIMIT 1)
    FROM queued q WHERE q.workspace_id IS NOT NULL
), waiting AS (
    SELECT workspace_id FROM queued q WHERE workspace_id IS NOT NULL
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
) q ORDER BY row_number() OVER (PARTITION BY q.workspace_id ORDER BY q.queued_at), q.queued_at
