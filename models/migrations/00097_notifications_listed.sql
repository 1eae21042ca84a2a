-- Where the notifications are that there were before, a thousand at once, how they are
-- listed, since their ids rise with time, and one more reason to be told.

-- +goose NO TRANSACTION
-- +goose Up

ALTER TABLE notification_recipients DROP CONSTRAINT IF EXISTS notification_recipients_reason_check,
    ADD CONSTRAINT notification_recipients_reason_check CHECK (reason IN ('mention', 'assignment', 'reply', 'all')) NOT VALID;
ALTER TABLE notification_recipients VALIDATE CONSTRAINT notification_recipients_reason_check;

-- +goose StatementBegin
DO $$
DECLARE
    behind text := '';
    upto text;
BEGIN
    LOOP
        SELECT max(id) INTO upto FROM (SELECT id FROM notifications WHERE id > behind ORDER BY id LIMIT 1000) few;
        EXIT WHEN upto IS NULL;
        UPDATE notifications n SET document_key = a.document_key FROM annotations a
        WHERE n.id > behind AND n.id <= upto AND a.key = n.annotation_key AND n.document_key IS NULL;
        UPDATE notification_recipients r SET document_key = n.document_key, organization_key = d.organization_key
        FROM notifications n JOIN documents d ON d.key = n.document_key
        WHERE n.id > behind AND n.id <= upto AND r.notification_id = n.id AND r.document_key IS NULL;
        COMMIT;
        behind := upto;
    END LOOP;
END $$;
-- +goose StatementEnd

CREATE INDEX CONCURRENTLY IF NOT EXISTS notifications_of_document ON notifications (document_key, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS notification_recipients_of_user ON notification_recipients (organization_key, user_id, notification_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS notification_recipients_in_document ON notification_recipients (document_key, user_id, notification_id);

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS notification_recipients_in_document;
DROP INDEX CONCURRENTLY IF EXISTS notification_recipients_of_user;
DROP INDEX CONCURRENTLY IF EXISTS notifications_of_document;
DELETE FROM notification_recipients WHERE reason = 'all';
ALTER TABLE notification_recipients DROP CONSTRAINT IF EXISTS notification_recipients_reason_check,
    ADD CONSTRAINT notification_recipients_reason_check CHECK (reason IN ('mention', 'assignment', 'reply')) NOT VALID;
ALTER TABLE notification_recipients VALIDATE CONSTRAINT notification_recipients_reason_check;
