-- Claims what claim_due.sql does of the next destinations behind @after that have rows waiting or under way, @visits of
-- them at most, and round again. It visits one more only as long as it has found fewer than @most, and returns with each where
-- it stood: the last one found, or the last one visited when there were no more.
WITH RECURSIVE turn (id) AS (
    SELECT coalesce((SELECT min(destination_id) FROM open_deliveries WHERE destination_id > @after), (SELECT min(destination_id) FROM open_deliveries))
    UNION
    SELECT coalesce((SELECT min(destination_id) FROM open_deliveries WHERE destination_id > t.id), (SELECT min(destination_id) FROM open_deliveries))
    FROM turn t WHERE t.id IS NOT NULL
), visited AS (
    SELECT id, row_number() OVER () AS n FROM (SELECT id FROM turn WHERE id IS NOT NULL LIMIT @visits::integer) t
), found AS MATERIALIZED (
    SELECT w.id, v.n FROM visited v CROSS JOIN LATERAL (
        SELECT d.id FROM destinations d
        WHERE d.id = v.id AND (d.claimed_until IS NULL OR d.claimed_until <= clock_timestamp())
          AND (d.locked_until IS NULL OR d.locked_until < clock_timestamp()) AND destination_due(d.id) <= clock_timestamp()
        FOR NO KEY UPDATE SKIP LOCKED) w LIMIT @most::integer
), claimed AS (
    UPDATE destinations SET claimed_until = clock_timestamp() + @claim_for::interval WHERE id = ANY(ARRAY(SELECT id FROM found))
    RETURNING workspace_id, id, kind
), stood AS (
    SELECT CASE WHEN (SELECT count(*) FROM found) = @most::integer THEN (SELECT id FROM found ORDER BY n DESC LIMIT 1)
           ELSE (SELECT id FROM visited ORDER BY n DESC LIMIT 1) END AS id
)
SELECT coalesce(s.id, ''), c.workspace_id, c.id, c.kind FROM stood s LEFT JOIN claimed c ON true
