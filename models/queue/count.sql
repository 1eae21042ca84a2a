-- How many rows of @kind are due, up to @most, and for how many seconds the oldest one has been due that nobody works on and
-- that waits for no other of its group, or has failed. What waits because its workspace is stopped has no age.
WITH RECURSIVE turn (group_key) AS (
    SELECT min(group_key) FROM work WHERE kind = @kind AND ready
    UNION ALL
    SELECT (SELECT min(group_key) FROM work WHERE kind = @kind AND ready AND group_key > turn.group_key) FROM turn WHERE turn.group_key IS NOT NULL
)
SELECT (SELECT count(*) FROM (SELECT FROM work WHERE kind = @kind AND ready LIMIT @most::integer) counted),
       extract(epoch FROM statement_timestamp() - least(
           (SELECT min(w.run_at) FROM turn CROSS JOIN LATERAL (
                SELECT run_at, workspace_id FROM (SELECT run_at, locked_until, workspace_id FROM work
                                                  WHERE kind = @kind AND group_key = turn.group_key AND ready ORDER BY run_at LIMIT @per_group::integer) first
                WHERE locked_until <= statement_timestamp() ORDER BY run_at LIMIT 1) w
            WHERE NOT EXISTS (SELECT FROM workspaces s WHERE s.id = w.workspace_id AND s.stopped_at IS NOT NULL)),
           (SELECT failing_since FROM work w WHERE kind = @kind AND failing_since IS NOT NULL
                   AND NOT EXISTS (SELECT FROM workspaces s WHERE s.id = w.workspace_id AND s.stopped_at IS NOT NULL)
            ORDER BY failing_since LIMIT 1)))::float8
