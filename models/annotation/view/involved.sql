-- The documents of the organization @organization of @workspace in which each of @users has a part: existing annotations in them have a
-- comment by the user, tag the user or are assigned to the user. Of each user @most documents at most, latest annotation first, and how
-- many there are in all.
SELECT u.id, i.document_id, i.total
FROM unnest(@users::text[]) u (id) CROSS JOIN LATERAL (
    SELECT d.document_id, max(a.updated_ms) AS latest, count(*) OVER () AS total
    FROM (
        SELECT c.annotation_key AS key FROM comments c
        WHERE hashtextextended(c.author_id, 0) = hashtextextended(u.id, 0) AND c.author_id = u.id AND c.workspace_id = @workspace
        UNION
        SELECT m.annotation_key FROM annotation_mentions m
        WHERE hashtextextended(m.user_id, 0) = hashtextextended(u.id, 0) AND m.user_id = u.id AND m.workspace_id = @workspace
        UNION
        SELECT b.key FROM annotations b
        WHERE hashtextextended(b.assigned->>'userId', 0) = hashtextextended(u.id, 0) AND b.assigned->>'userId' = u.id AND b.workspace_id = @workspace
    ) part
    JOIN annotations a ON a.key = part.key
    JOIN documents d ON d.key = a.document_key
    JOIN organizations o ON o.key = d.organization_key AND o.organization_id = @organization
    GROUP BY d.key, d.document_id ORDER BY latest DESC, d.document_id LIMIT @most) i
ORDER BY u.id, i.latest DESC, i.document_id
