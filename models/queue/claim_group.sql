-- Claims due rows of one group of @kind for @owner, the oldest first. A row is claimed again as its lock runs out. Nothing is
-- claimed of a workspace that is stopped.
UPDATE work SET locked_until = statement_timestamp() + @lock::interval, locked_by = @owner, attempts = attempts + 1
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM work w WHERE kind = @kind AND group_key = @group AND ready AND locked_until <= statement_timestamp()
           AND NOT EXISTS (SELECT FROM workspaces s WHERE s.id = w.workspace_id AND s.stopped_at IS NOT NULL)
    ORDER BY run_at LIMIT @most FOR UPDATE OF w SKIP LOCKED))
RETURNING key, workspace_id, group_key, revision, attempts, failing_since, coalesce(trace_parent, '')
