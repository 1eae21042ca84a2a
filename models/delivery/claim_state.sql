-- What a claim of @owner has left: whether rows can be claimed, whether cancelled ones are to be ended, for how many seconds
-- the pace allows nothing; and where an endpoint's messages go now, with the secrets that sign them and the token
-- of the simple receiver. No row: another
-- owner has locked the destination.
SELECT EXISTS (SELECT FROM open_deliveries WHERE destination_id = k.id AND due_at <= statement_timestamp() AND locked_until <= statement_timestamp())
           AND NOT EXISTS (SELECT FROM workspaces s WHERE s.id = k.workspace_id AND s.stopped_at IS NOT NULL),
       CASE WHEN c.closed IS NOT NULL OR k.cancel_id IS NOT NULL THEN EXISTS (
           SELECT FROM open_deliveries d WHERE d.destination_id = k.id AND d.locked_until = '-infinity'
           AND (is_cancelled(coalesce(d.number, d.id), d.cause, k.cancel_id, k.cancel_class) OR (c.closed IS NOT NULL AND is_cancelled(d.id, d.cause, @every_id::bigint, c.closed))))
       ELSE false END,
       coalesce(extract(epoch FROM k.paced_until - clock_timestamp())::float8, 0), coalesce(e.url, ''), s.ids, s.sealed, e.token_sealed
FROM destinations k LEFT JOIN endpoints e ON e.id = k.id CROSS JOIN LATERAL (SELECT endpoint_closed(k.id) AS closed OFFSET 0) c
CROSS JOIN LATERAL (
    SELECT array_agg(l.id ORDER BY l.created_at DESC, l.id DESC) AS ids, array_agg(l.secret_sealed ORDER BY l.created_at DESC, l.id DESC) AS sealed
    FROM endpoint_secrets l WHERE l.endpoint_id = e.id AND (l.expires_at IS NULL OR l.expires_at > clock_timestamp())
) s
WHERE k.id = @destination AND k.locked_by = @owner
