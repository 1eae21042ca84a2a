-- Returns a row for each of @events, none where webhooks were never switched on: who gets it. The simple receiver has a
-- switch of its own and gets those that @simples says. The public key, the same for
-- all, is in the first row only; a location is described in the row where it comes first. The number is that of the first
-- message: microseconds of the clock, so it says nothing of other workspaces; should the clock go back, it is above the
-- workspace's last one all the same. That a quota of bodies is used up holds for the day on which it was noted.
WITH moment AS MATERIALIZED (SELECT clock_timestamp() AS at)
SELECT s.enabled, s.encrypted, s.encoded, s.protected, CASE WHEN o.n = 1 THEN s.public_key ELSE '' END, moment.at,
       EXISTS (SELECT FROM storage_use u WHERE u.workspace_id = @workspace AND u.kind = 'messages' AND u.is_full
               AND u.day = (moment.at AT TIME ZONE 'UTC')::date),
       greatest((extract(epoch FROM moment.at) * 1000000)::bigint, (SELECT l.sequence + 1 FROM messages l WHERE l.workspace_id = @workspace ORDER BY l.id DESC LIMIT 1)),
       m.endpoints, m.wanted, m.simple, at.organization, at.organization_extra, at.document, at.document_extra
FROM webhook_settings s CROSS JOIN moment
CROSS JOIN unnest(@events::text[], @tags::text[], @abouts::text[], @organizations::text[], @documents::text[], @described::boolean[], @simples::boolean[])
     WITH ORDINALITY AS o (event, tags, about, organization, document, described, simple, n)
CROSS JOIN LATERAL (
     SELECT coalesce(array_agg(e.id ORDER BY e.id) FILTER (WHERE (s.enabled OR e.simple) AND NOT e.disabled AND e.id <> o.about), '{}') AS endpoints,
            count(*) > 0 AS wanted, coalesce(bool_or(e.simple), false) AS simple
     FROM endpoints e
     WHERE e.workspace_id = s.workspace_id AND e.deleted_at IS NULL AND (e.filter_types IS NULL OR o.event = ANY (e.filter_types))
       AND (e.channels IS NULL OR e.channels && string_to_array(o.tags, E'\x1f')) AND (o.simple OR NOT e.simple)) m
LEFT JOIN LATERAL (
     SELECT org.name AS organization, org.extra::text AS organization_extra, doc.name AS document, doc.extra::text AS document_extra
     FROM organizations org LEFT JOIN documents doc ON doc.organization_key = org.key AND doc.document_id = o.document
     WHERE o.described AND org.workspace_id = s.workspace_id AND org.organization_id = o.organization LIMIT 1) at ON true
WHERE s.workspace_id = @workspace ORDER BY o.n
