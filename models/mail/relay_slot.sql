-- Takes a slot at the operator's relay for a mail of @workspace to @address, or returns why not: 'quota' where the workspace has
-- had @own of the day (UTC), 'wait' where all workspaces of the free plan together have had @total, or have written @each to
-- this address; neither counts where @total is 0. Counts are locked first, so what is compared is what is counted. Rows for the day are there already. It is
-- followed by the statement that marks the mail.
WITH today AS (
    SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day
), own AS (
    SELECT CASE WHEN s.relay_day = t.day THEN s.relay_used ELSE 0 END AS used FROM email_settings s, today t WHERE s.workspace_id = @workspace
    FOR UPDATE OF s
), shared AS (
    SELECT u.address, u.used FROM relay_uses u, today t, own WHERE u.day = t.day AND u.address IN ('', @address) ORDER BY u.address FOR UPDATE OF u
), answer AS (
    SELECT CASE WHEN coalesce((SELECT used FROM own), 0) >= @own::integer THEN 'quota'
                WHEN @total::integer > 0 AND EXISTS (SELECT FROM shared s WHERE s.used >= CASE s.address WHEN '' THEN @total::integer ELSE @each::integer END) THEN 'wait'
                ELSE 'taken' END AS word
), counted AS (
    UPDATE email_settings s SET relay_day = t.day, relay_used = (SELECT used FROM own) + 1
    FROM today t, answer a WHERE s.workspace_id = @workspace AND a.word = 'taken'
), shared_counted AS (
    UPDATE relay_uses u SET used = u.used + 1 FROM today t, answer a WHERE u.day = t.day AND u.address IN ('', @address) AND a.word = 'taken'
)
