-- Removes up to $3 attempts of deliveries of the executions $2 of the workspace $1.
DELETE FROM attempts WHERE ctid = ANY (ARRAY(
    SELECT a.ctid FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
    WHERE d.workspace_id = $1 AND d.execution_id = ANY ($2::text[]) LIMIT $3))
