-- Moves what was noted to storage_use, by workspaces that are still there. Two processes that do so at once move different
-- rows. What came of messages counts for the day on which it is moved.
WITH moved AS (
    DELETE FROM storage_changes RETURNING workspace_id, kind, bytes
), sums AS (
    SELECT m.workspace_id, m.kind, CASE m.kind WHEN 'messages' THEN (clock_timestamp() AT TIME ZONE 'UTC')::date ELSE '-infinity' END AS day, sum(m.bytes) AS bytes
    FROM moved m JOIN workspaces w ON w.id = m.workspace_id GROUP BY 1, 2, 3
)
INSERT INTO storage_use AS u (workspace_id, kind, day, bytes)
SELECT s.workspace_id, s.kind, s.day, s.bytes FROM sums s ORDER BY s.workspace_id, s.kind
ON CONFLICT (workspace_id, kind) DO UPDATE SET day = excluded.day, bytes = excluded.bytes + CASE WHEN u.day = excluded.day THEN u.bytes ELSE 0 END
