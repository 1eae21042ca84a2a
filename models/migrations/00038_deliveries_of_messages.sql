-- Proves that the message or the mail of each delivery is there: it reads the whole
-- table and lets writers pass, which it would not in the transaction that added the
-- references.

-- +goose NO TRANSACTION
-- +goose Up

ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_message_id_fkey;
ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_mail_id_fkey;

-- +goose Down

ALTER TABLE deliveries DROP CONSTRAINT IF EXISTS deliveries_mail_id_fkey,
    ADD CONSTRAINT deliveries_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES mails (id) ON DELETE CASCADE NOT VALID;
ALTER TABLE deliveries DROP CONSTRAINT IF EXISTS deliveries_message_id_fkey,
    ADD CONSTRAINT deliveries_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages (id) ON DELETE CASCADE NOT VALID;
