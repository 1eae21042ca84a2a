-- Makes the delivery of each event of @seqs due now with a new schedule. The execution's row is locked, so nobody else makes
-- these rows; those that are open are locked before their deliveries change, in the order of their ids, as everywhere.
WITH made AS (
    INSERT INTO deliveries (workspace_id, execution_id, destination_id, seq)
    SELECT @workspace, @execution, @destination, s.seq FROM unnest(@seqs::bigint[]) AS s (seq) ORDER BY s.seq
    ON CONFLICT (workspace_id, execution_id, seq) WHERE execution_id IS NOT NULL DO NOTHING RETURNING id
), known AS (
    SELECT id FROM deliveries WHERE workspace_id = @workspace AND execution_id = @execution AND seq = ANY (@seqs)
), opened AS (
    INSERT INTO open_deliveries (id, destination_id, origin, due_at)
    SELECT id, @destination, @origin, (SELECT clock_timestamp()) FROM (SELECT id FROM known UNION ALL SELECT id FROM made) AS each (id) ORDER BY id
    ON CONFLICT (id) DO UPDATE SET destination_id = excluded.destination_id, origin = excluded.origin, due_at = excluded.due_at
    RETURNING id
), renewed AS (
    UPDATE deliveries SET destination_id = @destination, round = 0, interrupted = 0, state = CASE WHEN state = 'sending' THEN 'sending' ELSE 'pending' END
    WHERE id = ANY(ARRAY(SELECT id FROM opened WHERE id IN (SELECT id FROM known)))
)
SELECT 1 FROM opened
