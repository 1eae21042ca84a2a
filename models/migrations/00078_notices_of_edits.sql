-- Of a comment there is a notification for those whom it concerned when it was added, and
-- one for each edit that tagged somebody else. They are found by their comment as before.

-- +goose NO TRANSACTION
-- +goose Up

CREATE INDEX CONCURRENTLY IF NOT EXISTS notifications_of_comment ON notifications (annotation_key, comment_seq);
ALTER TABLE notifications DROP CONSTRAINT IF EXISTS notifications_once;

-- +goose Down

DELETE FROM notifications n USING notifications first
WHERE first.annotation_key = n.annotation_key AND first.comment_seq = n.comment_seq AND first.id < n.id;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS notifications_once ON notifications (annotation_key, comment_seq);
ALTER TABLE notifications ADD CONSTRAINT notifications_once UNIQUE USING INDEX notifications_once;
DROP INDEX CONCURRENTLY IF EXISTS notifications_of_comment;
