-- Puts work of @kinds and @keys, sorted by both; times are NULL for now. What is there already is due at the earlier time, but of
-- the kinds @moving at the new one.
INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready)
SELECT kind, key, workspace_id, group_key, coalesce(at, statement_timestamp()), coalesce(at <= statement_timestamp(), true)
FROM unnest(@kinds::text[], @keys::text[], @workspaces::text[], @groups::text[], @times::timestamptz[]) AS w (kind, key, workspace_id, group_key, at)
ON CONFLICT (kind, key) DO UPDATE
SET revision = excluded.revision,
    run_at = CASE WHEN work.kind = ANY (@moving::text[]) THEN excluded.run_at ELSE least(work.run_at, excluded.run_at) END,
    ready = CASE WHEN work.kind = ANY (@moving::text[]) THEN excluded.ready ELSE work.ready OR excluded.ready END,
    failing_since = CASE WHEN work.kind = ANY (@moving::text[]) THEN NULL ELSE work.failing_since END
