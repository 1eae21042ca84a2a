-- Returns the seconds until none of the attempts begun at @destinations before a moment can start any more. The first call
-- takes the present as that moment and returns it for the next ones. Rows under way are among the first that are due, so
-- what waits behind a thousand is not looked at.
SELECT coalesce(extract(epoch FROM max(d.begun_at) + @within::interval - clock_timestamp()), 0)::float8, max(now.at)
FROM (SELECT coalesce(@since::timestamptz, clock_timestamp()) AS at OFFSET 0) now
LEFT JOIN LATERAL (
    SELECT s.begun_at FROM unnest(@destinations::text[]) AS k (id)
    CROSS JOIN LATERAL (SELECT id, locked_until FROM open_deliveries WHERE destination_id = k.id ORDER BY due_at LIMIT 1000) w
    CROSS JOIN LATERAL (SELECT begun_at FROM deliveries WHERE id = w.id OFFSET 0) s
    WHERE w.locked_until > '-infinity' AND s.begun_at <= now.at
) d ON true
