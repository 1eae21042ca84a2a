-- Removes up to $2 deliveries of executions of the workspace $1, with their attempts.
WITH gone AS (
    DELETE FROM deliveries WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM deliveries WHERE workspace_id = $1 AND execution_id IS NOT NULL LIMIT $2)) RETURNING id
), tried AS (
    DELETE FROM attempts USING gone WHERE attempts.delivery_id = gone.id
)
SELECT FROM gone
