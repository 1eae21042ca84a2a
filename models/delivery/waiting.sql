-- The destinations of @workspace, or of all where it is empty, that have rows waiting or under way: how many, up to @counted,
-- and when the next is due.
WITH RECURSIVE turn (id) AS (
    SELECT min(destination_id) FROM open_deliveries
    UNION ALL
    SELECT (SELECT min(destination_id) FROM open_deliveries WHERE destination_id > t.id) FROM turn t WHERE t.id IS NOT NULL
)
SELECT d.workspace_id, d.id, d.kind, n.count, n.due
FROM turn JOIN destinations d ON d.id = turn.id CROSS JOIN LATERAL (
    SELECT (SELECT count(*) FROM (SELECT FROM open_deliveries WHERE destination_id = d.id LIMIT @counted::integer) c) AS count,
           (SELECT due_at FROM open_deliveries WHERE destination_id = d.id AND locked_until = '-infinity' ORDER BY due_at LIMIT 1) AS due) n
WHERE @workspace IN ('', d.workspace_id) AND n.count > 0 ORDER BY d.workspace_id, d.id
