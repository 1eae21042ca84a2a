-- Claims those of @destinations that have something to claim, and nobody who does, until @wake_for has passed: of all processes
-- that hear of a commit one wakes their runs. A row that is locked has an owner, or belongs to somebody who wakes it or will.
UPDATE destinations SET woken_until = clock_timestamp() + @wake_for::interval WHERE id = ANY(ARRAY(
    SELECT d.id FROM destinations d
    WHERE d.id = ANY(@destinations) AND (d.woken_until IS NULL OR d.woken_until <= clock_timestamp())
      AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp()) AND destination_due(d.id) <= clock_timestamp()
    FOR NO KEY UPDATE SKIP LOCKED))
RETURNING workspace_id, id, kind
