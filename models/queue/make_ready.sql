-- Makes ready what has come due of @kind.
UPDATE work SET ready = true
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM work WHERE kind = @kind AND NOT ready AND run_at <= statement_timestamp()
    ORDER BY run_at LIMIT 1000 FOR UPDATE SKIP LOCKED))
