-- The destinations that have rows waiting or under way.
WITH RECURSIVE turn (id) AS (
    SELECT min(destination_id) FROM open_deliveries
    UNION ALL
    SELECT (SELECT min(destination_id) FROM open_deliveries WHERE destination_id > t.id) FROM turn t WHERE t.id IS NOT NULL
)
SELECT d.workspace_id, d.id, d.kind FROM turn JOIN destinations d ON d.id = turn.id
