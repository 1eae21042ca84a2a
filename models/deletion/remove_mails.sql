-- Removes up to $2 mails of the workspace $1, with their deliveries and attempts.
WITH chosen AS (
    SELECT id FROM mails WHERE workspace_id = $1 LIMIT $2
), sent AS (
    DELETE FROM deliveries USING chosen WHERE deliveries.mail_id = chosen.id RETURNING deliveries.id
), tried AS (
    DELETE FROM attempts USING sent WHERE attempts.delivery_id = sent.id
), gone AS (
    DELETE FROM mails USING chosen WHERE mails.id = chosen.id RETURNING mails.id
)
SELECT FROM gone
