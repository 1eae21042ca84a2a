-- The tables with an index of all rows that begins with the workspace, and those that refer to each.
SELECT c.relname::text, coalesce(array_agg(DISTINCT r.relname::text) FILTER (WHERE r.oid <> c.oid), '{}')
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
LEFT JOIN pg_constraint f ON f.contype = 'f' AND f.confrelid = c.oid LEFT JOIN pg_class r ON r.oid = f.conrelid
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
      AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND i.indkey[0] = a.attnum)
GROUP BY c.relname
