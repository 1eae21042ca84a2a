-- Makes the deliveries of @most of the @messages, in their order, to those of @endpoints that have none of them yet.
WITH remaining AS (
    SELECT m.id FROM unnest(@messages::text[]) WITH ORDINALITY AS w (id, n) JOIN messages m ON m.id = w.id
    WHERE (SELECT count(*) FROM deliveries d WHERE d.message_id = m.id AND d.destination_id = ANY (@endpoints::text[])) < cardinality(@endpoints::text[])
    ORDER BY w.n LIMIT @most::bigint
), made AS (
    INSERT INTO deliveries (workspace_id, destination_id, message_id, cause)
    SELECT @workspace, e.id, r.id, 'schedule' FROM remaining r CROSS JOIN unnest(@endpoints::text[]) AS e (id) ORDER BY e.id, r.id
    ON CONFLICT (message_id, destination_id) WHERE message_id IS NOT NULL DO NOTHING RETURNING id, destination_id
)
INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, destination_id, '', (SELECT clock_timestamp()) FROM made
