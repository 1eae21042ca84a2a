-- Stores messages of a change, and the bodies of some of them. @tags are joined by the unit separator.
WITH made AS (
    INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at, about, test)
    SELECT m.id, @workspace, m.sequence, m.event, string_to_array(m.tags, E'\x1f'), @at, nullif(m.about, ''), @test
    FROM unnest(@ids::text[], @sequences::bigint[], @events::text[], @tags::text[], @abouts::text[]) AS m (id, sequence, event, tags, about)
)
INSERT INTO message_bodies (message_id, workspace_id, body, created_at)
SELECT b.id, @workspace, b.body, @at FROM unnest(@bodied::text[], @bodies::bytea[]) AS b (id, body)
