-- Takes the slot of a mail of @workspace to @address among those of the day (UTC), or returns why not: 'daily' where the workspace
-- has had @daily mails; for a mail that the operator's relay serves for the free plan (@free) also 'quota' where the workspace has
-- had @own of these, and 'wait' where all workspaces of the plan together have had @total, or have written @each to this address;
-- neither of the two counts where @total is 0. Counts are locked first, so what is compared is what is counted. Rows for the day are
-- there already. It is followed by the statement that marks the mail.
WITH today AS (
    SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day
), own AS (
    SELECT CASE WHEN s.mail_day = t.day THEN s.mails_used ELSE 0 END AS mails, CASE WHEN s.mail_day = t.day THEN s.relay_used ELSE 0 END AS relayed
    FROM email_settings s, today t WHERE s.workspace_id = @workspace FOR UPDATE OF s
), shared AS (
    SELECT u.address, u.used FROM relay_uses u, today t, own
    WHERE @free::boolean AND u.day = t.day AND u.address IN ('', @address) ORDER BY u.address FOR UPDATE OF u
), answer AS (
    SELECT CASE WHEN coalesce((SELECT mails FROM own), 0) >= @daily::integer THEN 'daily'
                WHEN NOT @free THEN 'taken'
                WHEN coalesce((SELECT relayed FROM own), 0) >= @own::integer THEN 'quota'
                WHEN @total::integer > 0 AND EXISTS (SELECT FROM shared s WHERE s.used >= CASE s.address WHEN '' THEN @total::integer ELSE @each::integer END) THEN 'wait'
                ELSE 'taken' END AS word
), counted AS (
    UPDATE email_settings s SET mail_day = t.day, mails_used = (SELECT mails FROM own) + 1, relay_used = (SELECT relayed FROM own) + @free::integer
    FROM today t, answer a WHERE s.workspace_id = @workspace AND a.word = 'taken'
), shared_counted AS (
    UPDATE relay_uses u SET used = u.used + 1 FROM today t, answer a
    WHERE @free AND u.day = t.day AND u.address IN ('', @address) AND a.word = 'taken'
)
