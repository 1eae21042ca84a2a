-- Makes the deliveries of @messages to @endpoints; those that are there stay.
WITH made AS (
    INSERT INTO deliveries (workspace_id, destination_id, message_id, cause)
    SELECT @workspace, e.id, m.id, 'schedule' FROM messages m CROSS JOIN unnest(@endpoints::text[]) AS e (id) WHERE m.id = ANY (@messages::text[]) ORDER BY e.id, m.id
    ON CONFLICT (message_id, destination_id) WHERE message_id IS NOT NULL DO NOTHING RETURNING id, destination_id
)
INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, destination_id, '', (SELECT clock_timestamp()) FROM made
