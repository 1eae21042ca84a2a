-- Renews the beginning of an attempt, unless it was cancelled meanwhile or, for a mail, its trigger was switched off. The row
-- of the settings and then that of the destination are locked until the commit, in the order in which a change of the
-- settings locks them.
WITH s AS (SELECT off FROM email_settings WHERE workspace_id = @settings FOR SHARE),
k AS (SELECT cancel_id, cancel_class FROM destinations WHERE id = @destination AND (SELECT count(*) FROM s) >= 0 FOR SHARE)
UPDATE deliveries d SET begun_at = clock_timestamp() FROM k, open_deliveries w
WHERE d.id = @delivery AND d.attempt = @attempt AND d.state = 'sending' AND w.id = @delivery AND NOT is_cancelled(coalesce(w.number, w.id), w.cause, k.cancel_id, k.cancel_class)
AND NOT EXISTS (
    SELECT 1 FROM s, mails m JOIN unnest(@templates::text[], @switches::text[]) AS t (template, switch) ON t.template = m.template
    WHERE m.id = d.mail_id AND t.switch = ANY(s.off))
