-- Puts work of @kinds and @keys, sorted by both; times are NULL for now.
INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready)
SELECT kind, key, workspace_id, group_key, coalesce(at, statement_timestamp()), coalesce(at <= statement_timestamp(), true)
FROM unnest(@kinds::text[], @keys::text[], @workspaces::text[], @groups::text[], @times::timestamptz[]) AS w (kind, key, workspace_id, group_key, at)
ON CONFLICT (kind, key) DO UPDATE
SET revision = excluded.revision, run_at = least(work.run_at, excluded.run_at), ready = work.ready OR excluded.ready
