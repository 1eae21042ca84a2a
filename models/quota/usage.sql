-- Returns what @workspace keeps of each of @kinds, what was not moved to storage_use yet among it, and how much it may:
-- what an operator has set for it, else what is @free or @paid.
SELECT w.plan, clock_timestamp(), k.kind,
       greatest(0, coalesce((SELECT u.bytes FROM storage_use u WHERE u.workspace_id = w.id AND u.kind = k.kind
                             AND u.day IN ('-infinity', (clock_timestamp() AT TIME ZONE 'UTC')::date)), 0)
                   + coalesce((SELECT sum(c.bytes) FROM storage_changes c WHERE c.workspace_id = w.id AND c.kind = k.kind), 0))::bigint,
       coalesce(o.value, CASE w.plan WHEN 'paid' THEN k.paid ELSE k.free END)
FROM workspaces w CROSS JOIN unnest(@kinds::text[], @free::bigint[], @paid::bigint[]) WITH ORDINALITY AS k (kind, free, paid, n)
LEFT JOIN limit_overrides o ON o.workspace_id = w.id AND o.name = k.kind || '-bytes'
WHERE w.id = @workspace ORDER BY k.n
