-- Returns the first kind of which @workspace has used up its quota while this transaction adds to it: how much it keeps without
-- what is added here, and how much it may. What this transaction has noted is known by its number.
SELECT k.kind, (u.bytes + c.others)::bigint, l.bytes
FROM workspaces w CROSS JOIN unnest(@kinds::text[], @free::bigint[], @paid::bigint[]) WITH ORDINALITY AS k (kind, free, paid, n)
JOIN storage_use u ON u.workspace_id = w.id AND u.kind = k.kind
LEFT JOIN limit_overrides o ON o.workspace_id = w.id AND o.name = k.kind || '-bytes'
CROSS JOIN LATERAL (SELECT coalesce(o.value, CASE w.plan WHEN 'paid' THEN k.paid ELSE k.free END) AS bytes) l
CROSS JOIN LATERAL (
    SELECT coalesce(sum(c.bytes) FILTER (WHERE c.xmin = own.id), 0) AS own, coalesce(sum(c.bytes) FILTER (WHERE c.xmin <> own.id), 0) AS others
    FROM storage_changes c, (SELECT pg_current_xact_id()::xid AS id) own WHERE c.workspace_id = w.id AND c.kind = k.kind) c
WHERE w.id = @workspace AND k.kind <> 'messages' AND c.own > 0 AND l.bytes > 0 AND u.bytes + c.others >= l.bytes ORDER BY k.n LIMIT 1
