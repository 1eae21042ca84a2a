-- Claims those of @destinations that have something to claim, and nobody who does, until @claim_for has passed: of all processes
-- that hear of a commit one starts their runs. A row that is locked has an owner, or belongs to somebody who starts its run or will.
UPDATE destinations SET claimed_until = clock_timestamp() + @claim_for::interval WHERE id = ANY(ARRAY(
    SELECT d.id FROM destinations d
    WHERE d.id = ANY(@destinations) AND (d.claimed_until IS NULL OR d.claimed_until <= clock_timestamp())
      AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp()) AND destination_due(d.id) <= clock_timestamp()
    FOR NO KEY UPDATE SKIP LOCKED))
RETURNING workspace_id, id, kind
