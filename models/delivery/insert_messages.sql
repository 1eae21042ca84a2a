-- Stores messages of a change, and the bodies of some of them. @tags are joined by the unit separator.
WITH made AS (
    INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at, about, test, simple)
    SELECT m.id, @workspace, m.sequence, m.event, string_to_array(m.tags, E'\x1f'), @at, nullif(m.about, ''), @test, m.simple
    FROM unnest(@ids::text[], @sequences::bigint[], @events::text[], @tags::text[], @abouts::text[], @simples::boolean[])
         AS m (id, sequence, event, tags, about, simple)
)
INSERT INTO message_bodies (message_id, workspace_id, body, simple, created_at)
SELECT b.id, @workspace, b.body, b.simple, @at FROM unnest(@bodied::text[], @bodies::bytea[], @simple_bodies::bytea[]) AS b (id, body, simple)
