-- The documents of the organization @organization of @workspace that are granted to @users at this moment: of each the last @most that were granted,
-- and how many there are in all.
SELECT u.id, g.document_id, g.total
FROM unnest(@users::text[]) u (id) CROSS JOIN LATERAL (
    SELECT d.document_id, d.key, g.granted_at, count(*) OVER () AS total
    FROM organizations o JOIN grants g ON g.organization_key = o.key AND g.user_id = u.id
    JOIN documents d ON d.key = g.document_key
    WHERE o.workspace_id = @workspace AND o.organization_id = @organization AND (g.expires_at IS NULL OR g.expires_at > clock_timestamp())
    ORDER BY g.granted_at DESC, d.key DESC LIMIT @most) g
ORDER BY u.id, g.granted_at DESC, g.key DESC
