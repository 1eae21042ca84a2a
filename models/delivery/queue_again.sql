-- Queues @messages for @endpoint again, in their order, at @origin. A delivery that was never made is made, one that has ended
-- begins a new schedule, due now. One that waits is due now and goes on with its schedule, one under way goes on as it is;
-- either begins a new schedule where a cancellation was to end it. Open rows are locked before their deliveries change, in
-- the order of their ids, as everywhere.
WITH mark AS (
    SELECT cancel_id, cancel_class FROM destinations WHERE id = @endpoint
), made AS (
    INSERT INTO deliveries (workspace_id, destination_id, message_id, cause)
    SELECT @workspace, @endpoint, m.id, @cause FROM unnest(@messages::text[]) WITH ORDINALITY AS m (id, n) ORDER BY m.n
    ON CONFLICT (message_id, destination_id) WHERE message_id IS NOT NULL DO NOTHING RETURNING id
), known AS (
    SELECT d.id, w.id IS NULL OR d.round >= @last_round OR is_cancelled(coalesce(w.number, w.id), w.cause, k.cancel_id, k.cancel_class) AS again
    FROM mark k CROSS JOIN unnest(@messages::text[]) AS m (id)
    CROSS JOIN LATERAL (SELECT id, round FROM deliveries WHERE message_id = m.id AND destination_id = @endpoint OFFSET 0) d
    LEFT JOIN LATERAL (SELECT id, cause, number FROM open_deliveries WHERE id = d.id OFFSET 0) w ON true
), opened AS (
    INSERT INTO open_deliveries AS w (id, destination_id, origin, cause, due_at, number)
    SELECT e.id, @endpoint, @origin, @cause, (SELECT clock_timestamp()), CASE WHEN k.cancel_id IS NOT NULL THEN nextval('deliveries_id_seq') END
    FROM mark k CROSS JOIN (SELECT id FROM known UNION ALL SELECT id FROM made) AS e (id) ORDER BY e.id
    ON CONFLICT (id) DO UPDATE SET due_at = least(w.due_at, excluded.due_at), origin = excluded.origin,
        number = CASE WHEN w.id = ANY(ARRAY(SELECT id FROM known WHERE again)) THEN excluded.number ELSE w.number END,
        cause = CASE WHEN w.id = ANY(ARRAY(SELECT id FROM known WHERE again)) THEN excluded.cause ELSE w.cause END
    RETURNING id
), renewed AS (
    UPDATE deliveries d SET round = 0, interrupted = 0, cause = @cause, state = CASE WHEN d.state = 'sending' THEN 'sending' ELSE 'pending' END
    WHERE d.id = ANY(ARRAY(SELECT id FROM opened)) AND d.id = ANY(ARRAY(SELECT id FROM known))
      AND (d.id = ANY(ARRAY(SELECT id FROM known WHERE again)) OR d.state NOT IN ('pending', 'sending'))
)
SELECT count(*) FROM opened
