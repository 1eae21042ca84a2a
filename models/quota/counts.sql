-- Counts what a workspace $1 has of what is limited by number, and returns what an operator has set for it.
SELECT (SELECT count(*) FROM endpoints WHERE workspace_id = $1 AND deleted_at IS NULL AND NOT simple),
       (SELECT count(*) FROM api_keys WHERE workspace_id = $1 AND type = 'testing'),
       (SELECT count(*) FROM api_keys WHERE workspace_id = $1 AND type = 'production'),
       (SELECT count(*) FROM sources WHERE workspace_id = $1 AND NOT removed),
       (SELECT count(*) FROM executions WHERE workspace_id = $1 AND status IN ('pending', 'running')),
       (SELECT coalesce(jsonb_object_agg(name, value), '{}') FROM limit_overrides WHERE workspace_id = $1),
       coalesce(m.mails_used, 0), coalesce(m.relay_used, 0), w.plan = 'free' AND coalesce(s.type, 'default') = 'default'
FROM workspaces w LEFT JOIN email_settings s ON s.workspace_id = w.id
LEFT JOIN email_settings m ON m.workspace_id = w.id AND m.mail_day = (clock_timestamp() AT TIME ZONE 'UTC')::date
WHERE w.id = $1
