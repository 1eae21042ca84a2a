-- Changes of the status of an annotation and decisions on suggestions are acts of review
-- as well.

-- +goose NO TRANSACTION
-- +goose Up

ALTER DOMAIN judgment_origin DROP CONSTRAINT IF EXISTS judgment_origin_check;
ALTER DOMAIN judgment_origin ADD CONSTRAINT judgment_origin_check
    CHECK (VALUE IN ('step', 'comment', 'record', 'status', 'suggestion')) NOT VALID;
ALTER DOMAIN judgment_origin VALIDATE CONSTRAINT judgment_origin_check;

-- +goose Down

DELETE FROM judgments WHERE origin IN ('status', 'suggestion');
ALTER DOMAIN judgment_origin DROP CONSTRAINT IF EXISTS judgment_origin_check;
ALTER DOMAIN judgment_origin ADD CONSTRAINT judgment_origin_check CHECK (VALUE IN ('step', 'comment', 'record')) NOT VALID;
ALTER DOMAIN judgment_origin VALIDATE CONSTRAINT judgment_origin_check;
