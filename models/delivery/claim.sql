-- Claims due rows of @destination for @owner, who has locked it, and begins an attempt of each: of each of @origins as many
-- as @shares says, the oldest first, in the order of @origins up to @most in all, and no more than the pace allows. When
-- nothing is due, or the endpoint has another address than @url, nothing is locked or written. Otherwise the row of the
-- destination is locked, so that nothing is claimed while a cancellation commits and the pace is one, whoever claims.
--
-- Where a lock has run out the process died during the attempt. Such a row is claimed as expired: its attempt is still the
-- one that was begun, and has to be recorded as interrupted, also where the row is cancelled.
--
-- Attempts at an endpoint and mails may be limited to a number a second: step is the time that one of them takes up, five
-- percent longer than the limit asks, so that jitter on the way does not bring more of them into one second. Of time that
-- has passed without any a twentieth of a second is made up for. Without a limit step is NULL.
--
-- What the simple receiver gets is made of the body where it is not stored beside it.
--
-- An array instead of a join keeps the plan from ever reading a whole table; what a row is about is looked up by its key.
WITH destination AS (
    SELECT k.id, coalesce(e.simple, false) AS simple, clock_timestamp() AS now, k.paced_until, 1.05 / CASE k.kind WHEN 'mail' THEN @mails_per_second::integer ELSE e.rate_limit END::float8 AS step,
           CASE WHEN c.closed IS NULL THEN k.cancel_id ELSE @every_id::bigint END AS cancel_id, coalesce(c.closed, k.cancel_class) AS cancel_class
    FROM destinations k LEFT JOIN endpoints e ON e.id = k.id CROSS JOIN LATERAL (SELECT endpoint_closed(k.id) AS closed OFFSET 0) c
    WHERE k.workspace_id = @workspace AND k.id = @destination AND k.locked_by = @owner AND coalesce(e.url, '') = @url
      AND EXISTS (SELECT FROM open_deliveries w WHERE w.destination_id = @destination AND w.due_at <= statement_timestamp() AND w.locked_until <= statement_timestamp())
      AND NOT EXISTS (SELECT FROM workspaces s WHERE s.id = @workspace AND s.stopped_at IS NOT NULL)
    FOR NO KEY UPDATE OF k
), free AS (
    SELECT id, greatest(paced_until, now - make_interval(secs => greatest(0, 0.05 - step))) AS since FROM destination
), pace AS (
    SELECT d.*, f.since, CASE WHEN d.step IS NULL THEN @most WHEN f.since > d.now THEN 0
                              ELSE least(@most, 1 + floor(extract(epoch FROM d.now - f.since)::float8 / d.step)) END::integer AS most
    FROM destination d JOIN free f USING (id)
), due AS (
    SELECT w.id FROM pace p
    CROSS JOIN unnest(@origins::text[], @shares::integer[]) WITH ORDINALITY AS o (origin, share, n)
    CROSS JOIN LATERAL (
        SELECT id, due_at FROM open_deliveries
        WHERE destination_id = p.id AND origin = o.origin AND due_at <= p.now AND locked_until <= p.now
          AND (locked_until > '-infinity' OR NOT is_cancelled(coalesce(number, id), cause, p.cancel_id, p.cancel_class))
        ORDER BY due_at, id LIMIT least(o.share, p.most)) w
    ORDER BY o.n, w.due_at, w.id LIMIT (SELECT most FROM pace)
), locked AS (
    SELECT id, locked_until > '-infinity' AS expired FROM open_deliveries
    WHERE id = ANY(ARRAY(SELECT id FROM due)) AND destination_id = @destination AND locked_until <= (SELECT now FROM destination)
    FOR UPDATE SKIP LOCKED
), claimed AS (
    UPDATE open_deliveries SET locked_until = (SELECT now FROM destination) + @lock::interval
    WHERE id = ANY(ARRAY(SELECT id FROM locked)) RETURNING id, origin, due_at
), begun AS (
    UPDATE deliveries d SET state = 'sending', attempt = d.attempt + CASE WHEN l.expired THEN 0 ELSE 1 END,
           begun_at = CASE WHEN l.expired THEN d.begun_at ELSE (SELECT now FROM destination) END
    FROM locked l WHERE d.id = ANY(ARRAY(SELECT id FROM claimed)) AND l.id = d.id
    RETURNING d.id, d.workspace_id, d.execution_id, d.seq, d.message_id, d.mail_id, d.cause, d.attempt, d.begun_at, d.trace_parent, l.expired
), paced AS (
    UPDATE destinations k SET paced_until = p.since + make_interval(secs => p.step * n.count)
    FROM pace p, (SELECT count(*) FROM begun) n WHERE k.id = @destination AND p.step IS NOT NULL AND n.count > 0
)
SELECT d.id, d.workspace_id, CASE c.origin WHEN 'recovered' THEN '' ELSE c.origin END, d.attempt - 1, d.begun_at, d.expired, d.cause = 'test', coalesce(d.mail_id, ''), coalesce(d.trace_parent, ''),
       coalesce(d.message_id, ''), coalesce(m.event, ''), m.created_at, CASE WHEN k.simple THEN coalesce(b.simple, b.body) ELSE b.body END, k.simple AND b.simple IS NULL,
       coalesce(x.receiver_url, ''), x.receiver_secret, coalesce(e.type, ''), coalesce(e.id, ''), coalesce(d.execution_id, ''), coalesce(x.definition_id, ''),
       coalesce(x.definition_version, 0), e.step_id, e.status, coalesce(d.seq, 0), e.at, coalesce(x.correlation_id, ''), e.data
FROM begun d JOIN claimed c USING (id) CROSS JOIN destination k
LEFT JOIN LATERAL (SELECT event, created_at FROM messages WHERE id = d.message_id OFFSET 0) m ON true
LEFT JOIN LATERAL (SELECT body, simple FROM message_bodies WHERE message_id = d.message_id OFFSET 0) b ON true
LEFT JOIN LATERAL (SELECT * FROM executions WHERE workspace_id = d.workspace_id AND id = d.execution_id OFFSET 0) x ON true
LEFT JOIN LATERAL (SELECT * FROM events WHERE workspace_id = d.workspace_id AND execution_id = d.execution_id AND seq = d.seq OFFSET 0) e ON true
ORDER BY c.due_at, d.id
