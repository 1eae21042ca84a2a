-- Claims due rows of @kind for @owner: of groups in turn behind @after, an equal share of @most each. Of a group only its
-- first @per_group rows may be locked at once. A row is claimed again as its lock runs out. Nothing is claimed of a workspace
-- that is stopped.
WITH RECURSIVE turn (group_key) AS (
    SELECT coalesce((SELECT min(group_key) FROM work WHERE kind = @kind AND ready AND group_key > @after),
                    (SELECT min(group_key) FROM work WHERE kind = @kind AND ready))
    UNION
    SELECT coalesce((SELECT min(group_key) FROM work WHERE kind = @kind AND ready AND group_key > turn.group_key),
                    (SELECT min(group_key) FROM work WHERE kind = @kind AND ready))
    FROM turn WHERE turn.group_key IS NOT NULL
), due AS (
    SELECT turn.group_key FROM turn CROSS JOIN LATERAL (
        SELECT workspace_id FROM (SELECT workspace_id, locked_until FROM work WHERE kind = @kind AND group_key = turn.group_key AND ready
                                  ORDER BY run_at LIMIT @per_group::integer) first
        WHERE locked_until <= statement_timestamp() LIMIT 1) w
    WHERE NOT EXISTS (SELECT FROM workspaces s WHERE s.id = w.workspace_id AND s.stopped_at IS NOT NULL)
    LIMIT @most::integer
), share AS (
    SELECT greatest(1, @most::integer / greatest(1, count(*)))::integer AS rows FROM due
), chosen AS (
    SELECT w.at FROM share CROSS JOIN due CROSS JOIN LATERAL (
        SELECT at FROM (SELECT ctid AS at, run_at, locked_until FROM work WHERE kind = @kind AND group_key = due.group_key AND ready
                        ORDER BY run_at LIMIT @per_group::integer) first
        WHERE locked_until <= statement_timestamp() ORDER BY run_at LIMIT share.rows) w
), locked AS (
    SELECT ctid AS at, locked_by IS NOT NULL AS expired FROM work
    WHERE ctid = ANY (ARRAY(SELECT at FROM chosen)) AND kind = @kind AND ready AND locked_until <= statement_timestamp()
    FOR UPDATE SKIP LOCKED
)
UPDATE work SET locked_until = statement_timestamp() + @lock::interval, locked_by = @owner, attempts = attempts + 1
WHERE ctid = ANY (ARRAY(SELECT at FROM locked))
RETURNING key, workspace_id, group_key, revision, attempts, failing_since, coalesce(trace_parent, ''), (SELECT rows FROM share), (SELECT count(*) FROM locked WHERE expired)
