-- Annotations are updated.

-- +goose Up

-- resolved_by is who resolved an annotation whose status is terminal, status_updated_by
-- whom the caller names for the last change of its status.
ALTER TABLE annotations ADD COLUMN resolved_by text COLLATE "C";
ALTER TABLE annotations ADD COLUMN status_updated_by text COLLATE "C";

-- +goose Down

ALTER TABLE annotations DROP COLUMN status_updated_by;
ALTER TABLE annotations DROP COLUMN resolved_by;
