-- Stores outcomes of attempts that are still under way, one of each array for each; the outcome of a row that was claimed
-- again is dropped. @ends is the state that follows from the outcome itself; 'schedule' means pending while the schedule
-- (@delays, in seconds) has attempts left and dead afterwards, 'again' means pending at once without using up an attempt,
-- 'wait' pending after the time that is asked for: nothing was tried, and no attempt is kept.
-- From the third time in a row on 'again' follows the schedule, so that a delivery that brings its process down does not
-- bring down the next one at once. A test has no schedule. Rows are locked, in their order, where they are open. Attempts
-- are kept where @keep says so.
WITH outcome AS (
    SELECT * FROM unnest(@ids::bigint[], @numbers::integer[], @classes::text[], @statuses::integer[], @durations::integer[], @attempt_ids::text[],
                         @ends::text[], @varied::float8[], @least_pauses::float8[], @asked::float8[], @urls::text[], @answers::text[], @events::text[])
    WITH ORDINALITY AS o (delivery_id, number, class, status, duration, attempt_id, ends, vary, least_pause, asked, url, answer, event, n)
), mine AS (
    SELECT id FROM open_deliveries WHERE id = ANY(@ids) AND locked_until > '-infinity' ORDER BY id FOR UPDATE
), done AS (
    UPDATE deliveries d SET
        state = CASE WHEN o.ends = 'wait' OR o.ends = 'again' AND d.interrupted < @again_at_most THEN 'pending'
                     WHEN o.ends IN ('again', 'schedule') THEN CASE WHEN d.round >= cardinality(@delays::float8[]) OR d.cause = 'test' THEN 'dead' ELSE 'pending' END
                     ELSE o.ends END,
        round = d.round + CASE WHEN o.ends IN ('delivered', 'wait') OR (o.ends = 'again' AND d.interrupted < @again_at_most) THEN 0 ELSE 1 END,
        interrupted = CASE WHEN o.ends = 'again' THEN d.interrupted + 1 ELSE 0 END, class = o.class
    FROM outcome o WHERE d.id = ANY(ARRAY(SELECT id FROM mine)) AND d.id = o.delivery_id AND d.attempt = o.number + 1
    RETURNING d.id, d.workspace_id, d.destination_id, d.message_id, d.attempt, d.cause, d.begun_at, d.state, d.round,
              d.interrupted BETWEEN 1 AND @again_at_most AS again,
              CASE WHEN d.state <> 'pending' THEN NULL WHEN d.interrupted BETWEEN 1 AND @again_at_most THEN clock_timestamp()
                   WHEN o.ends = 'wait' THEN clock_timestamp() + make_interval(secs => o.asked)
                   ELSE clock_timestamp() + pause_after((@delays::float8[])[d.round] * o.vary, o.least_pause, o.asked) END AS due_at,
              o.class, o.status, nullif(o.duration, -1) AS duration, o.attempt_id, o.url, o.answer, o.event, o.n, o.ends
), waits AS (
    UPDATE open_deliveries q SET locked_until = '-infinity', due_at = CASE WHEN d.again THEN q.due_at ELSE d.due_at END
    FROM done d WHERE q.id = ANY(ARRAY(SELECT id FROM done WHERE state = 'pending')) AND d.id = q.id
), ended AS (
    DELETE FROM open_deliveries WHERE id = ANY(ARRAY(SELECT id FROM done WHERE state <> 'pending'))
), kept AS (
    INSERT INTO attempts (delivery_id, attempt, id, workspace_id, destination_id, message_id, event, cause, class, http_status, duration_ms,
                          started_at, next_attempt_at, url, response_body)
    SELECT id, attempt, attempt_id, workspace_id, destination_id, message_id, nullif(event, ''), cause, class, nullif(status, 0), duration,
           begun_at, due_at, CASE WHEN message_id IS NOT NULL THEN url END, CASE WHEN message_id IS NOT NULL AND status > 0 THEN answer END
    FROM done WHERE @keep::boolean AND ends <> 'wait'
)
SELECT n - 1, state, destination_id, cause = 'test', round < @last_round, begun_at, clock_timestamp() FROM done ORDER BY n
