-- The destinations that have had rows to claim for @overdue_for, and nobody who does. It walks over those that have rows
-- waiting or under way, not over all there are.
WITH RECURSIVE turn (id) AS (
    SELECT min(destination_id) FROM open_deliveries
    UNION ALL
    SELECT (SELECT min(destination_id) FROM open_deliveries WHERE destination_id > t.id) FROM turn t WHERE t.id IS NOT NULL
)
SELECT d.workspace_id, d.id, d.kind FROM turn JOIN destinations d ON d.id = turn.id
WHERE (d.locked_until IS NULL OR d.locked_until < clock_timestamp()) AND destination_due(d.id) <= clock_timestamp() - @overdue_for::interval
