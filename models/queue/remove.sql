-- Removes work of @kinds and @keys. The rows are locked in the order of their keys.
WITH removed AS (
    SELECT w.kind, w.key FROM unnest(@kinds::text[], @keys::text[]) AS r (kind, key) JOIN work w USING (kind, key)
    ORDER BY w.kind, w.key FOR UPDATE OF w
)
DELETE FROM work USING removed WHERE work.kind = removed.kind AND work.key = removed.key
