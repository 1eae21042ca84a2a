-- Moves what waits, and what is under way, of @execution to another receiver: an attempt under way ends at the old one, the
-- next goes to the new.
WITH moved AS (
    UPDATE open_deliveries SET destination_id = @destination, origin = @origin WHERE id = ANY(ARRAY(
        SELECT id FROM open_deliveries WHERE id = ANY(ARRAY(
            SELECT id FROM deliveries WHERE workspace_id = @workspace AND execution_id = @execution AND state IN ('pending', 'sending')))
        ORDER BY id FOR UPDATE))
    RETURNING id
)
UPDATE deliveries SET destination_id = @destination WHERE id = ANY(ARRAY(SELECT id FROM moved))
