-- Removes up to $3 deliveries of the executions $2 of the workspace $1.
DELETE FROM deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM deliveries WHERE workspace_id = $1 AND execution_id = ANY ($2::text[]) LIMIT $3))
