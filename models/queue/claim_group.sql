-- Claims due rows of one group of @kind for @owner, the oldest first. A row is claimed again as its lock runs out.
UPDATE work SET locked_until = statement_timestamp() + @lock::interval, locked_by = @owner, attempts = attempts + 1
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM work WHERE kind = @kind AND group_key = @group AND ready AND locked_until <= statement_timestamp()
    ORDER BY run_at LIMIT @most FOR UPDATE SKIP LOCKED))
RETURNING key, workspace_id, group_key, revision, attempts, failing_since
