-- Puts work of @kinds and @keys in the order of both; @times are NULL for @afters from now on. Of the same work, there already or put
-- twice, the earlier time counts, but of the kinds @moving that of the last put.
WITH put AS (
    SELECT *, coalesce(at, statement_timestamp() + after) AS run_at
    FROM unnest(@kinds::text[], @keys::text[], @workspaces::text[], @groups::text[], @times::timestamptz[], @afters::interval[])
         WITH ORDINALITY AS w (kind, key, workspace_id, group_key, at, after, place)
)
INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready)
SELECT DISTINCT ON (kind, key COLLATE "C") kind, key, workspace_id, group_key, run_at, run_at <= statement_timestamp()
FROM put ORDER BY kind, key COLLATE "C", CASE WHEN kind = ANY (@moving::text[]) THEN -place END, run_at
ON CONFLICT (kind, key) DO UPDATE
SET revision = excluded.revision, trace_parent = coalesce(excluded.trace_parent, work.trace_parent),
    run_at = CASE WHEN work.kind = ANY (@moving::text[]) THEN excluded.run_at ELSE least(work.run_at, excluded.run_at) END,
    ready = CASE WHEN work.kind = ANY (@moving::text[]) THEN excluded.ready ELSE work.ready OR excluded.ready END,
    failing_since = CASE WHEN work.kind = ANY (@moving::text[]) THEN NULL ELSE work.failing_since END
