-- Notes who has used up a quota, and who has not any more. Looked at are those who keep as much as the least of all
-- limits that are in force, and who are noted.
WITH usual AS (
    SELECT k.kind, k.free, k.paid, least(nullif(k.free, 0), nullif(k.paid, 0), (SELECT min(nullif(o.value, 0)) FROM limit_overrides o WHERE o.name = k.kind || '-bytes')) AS lowest
    FROM unnest(@kinds::text[], @free::bigint[], @paid::bigint[]) AS k (kind, free, paid)
), near AS (
    SELECT u.workspace_id, u.kind FROM usual k JOIN storage_use u ON u.kind = k.kind AND u.bytes >= k.lowest
    UNION SELECT u.workspace_id, u.kind FROM storage_use u WHERE u.is_full
), judged AS (
    SELECT u.workspace_id, u.kind, coalesce(u.bytes >= nullif(coalesce(o.value, CASE w.plan WHEN 'paid' THEN k.paid ELSE k.free END), 0), false)
           AND u.day IN ('-infinity', (clock_timestamp() AT TIME ZONE 'UTC')::date) AS is_full
    FROM near n JOIN storage_use u ON u.workspace_id = n.workspace_id AND u.kind = n.kind
    JOIN usual k ON k.kind = u.kind JOIN workspaces w ON w.id = u.workspace_id
    LEFT JOIN limit_overrides o ON o.workspace_id = u.workspace_id AND o.name = u.kind || '-bytes'
)
UPDATE storage_use u SET is_full = j.is_full
FROM judged j WHERE u.workspace_id = j.workspace_id AND u.kind = j.kind AND u.is_full <> j.is_full
