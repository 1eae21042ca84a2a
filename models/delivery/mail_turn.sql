-- Moves the pace of @destination on where it allows a row now, and returns for how many seconds it does not. It takes as much
-- time of the pace as a claim takes for a row. The statement sees the pace as it was before, so who waited for the row of
-- another turn reads a time that has passed.
WITH taken AS (
    UPDATE destinations SET paced_until = clock_timestamp() + make_interval(secs => 1.05 / @mails_per_second::integer)
    WHERE workspace_id = @workspace AND id = @destination AND (paced_until IS NULL OR paced_until <= clock_timestamp()) RETURNING 1
)
SELECT EXISTS (SELECT FROM taken), coalesce(extract(epoch FROM paced_until - clock_timestamp())::float8, 0)
FROM destinations WHERE workspace_id = @workspace AND id = @destination
