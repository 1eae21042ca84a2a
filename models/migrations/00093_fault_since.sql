-- Since when the stage of a version has failed: a fault may pass for six hours from there.
-- How long the stage took before, or nobody worked on it, says nothing about that.

-- +goose Up

ALTER TABLE source_versions ADD COLUMN fault_since timestamptz;

-- +goose Down

ALTER TABLE source_versions DROP COLUMN fault_since;
