-- The origins of @destination of which a row can be claimed, in their order, behind @after, up to @most.
WITH RECURSIVE origins (origin) AS (
    SELECT min(origin) FROM open_deliveries WHERE destination_id = @destination AND origin > @after AND EXISTS (
        SELECT FROM open_deliveries WHERE destination_id = @destination AND due_at <= statement_timestamp() AND locked_until <= statement_timestamp())
    UNION ALL
    SELECT (SELECT min(origin) FROM open_deliveries WHERE destination_id = @destination AND origin > o.origin) FROM origins o WHERE o.origin IS NOT NULL
)
SELECT o.origin FROM origins o WHERE EXISTS (
    SELECT FROM open_deliveries WHERE destination_id = @destination AND origin = o.origin AND due_at <= statement_timestamp() AND locked_until <= statement_timestamp())
LIMIT @most::integer
