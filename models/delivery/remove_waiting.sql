-- Removes the open rows of the deliveries of the executions $2 of the workspace $1, in the order of their ids.
WITH waiting AS (
    SELECT w.id FROM deliveries d JOIN open_deliveries w USING (id)
    WHERE d.workspace_id = $1 AND d.execution_id = ANY ($2::text[]) ORDER BY w.id FOR UPDATE OF w
)
DELETE FROM open_deliveries WHERE id = ANY (ARRAY(SELECT id FROM waiting))
