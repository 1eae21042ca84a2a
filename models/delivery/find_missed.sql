-- Looks at @most messages from the oldest on and returns those that match @endpoint and of which it has taken none and waits
-- for none. What an open delivery waits for is nothing where a cancellation is to end it. A body that is gone, a test and
-- what speaks of the endpoint are nothing to be sent.
WITH seen AS MATERIALIZED (
    SELECT m.id, m.event, m.tags, m.about, m.test, m.simple, m.created_at >= @since AND m.created_at < @until AS inside
    FROM messages m WHERE m.workspace_id = @workspace AND m.id > @behind AND m.id < @before ORDER BY m.id LIMIT @most
), missed AS (
    SELECT s.id FROM endpoints e LEFT JOIN destinations k ON k.id = e.id CROSS JOIN seen s
    WHERE e.workspace_id = @workspace AND e.id = @endpoint AND s.inside AND NOT s.test AND s.about IS DISTINCT FROM e.id AND (s.simple OR NOT e.simple)
      AND (e.filter_types IS NULL OR s.event = ANY (e.filter_types)) AND (e.channels IS NULL OR e.channels && s.tags)
      AND EXISTS (SELECT FROM message_bodies b WHERE b.message_id = s.id OFFSET 0)
      AND NOT EXISTS (
          SELECT FROM deliveries d LEFT JOIN open_deliveries w ON w.id = d.id
          WHERE d.message_id = s.id AND d.destination_id = e.id AND (d.state = 'delivered'
             OR w.id IS NOT NULL AND d.round < @last_round AND NOT is_cancelled(coalesce(w.number, w.id), w.cause, k.cancel_id, k.cancel_class)) OFFSET 0)
)
SELECT coalesce((SELECT max(id) FROM seen), @behind), (SELECT count(*) FROM seen) = @most, (SELECT count(*) FROM seen WHERE inside), ARRAY(SELECT id FROM missed ORDER BY id)
