-- Puts off a row that was claimed at @revision.
UPDATE work SET locked_until = '-infinity', locked_by = NULL, failing_since = coalesce(failing_since, statement_timestamp()),
       run_at = statement_timestamp() + @after::interval, ready = @after::interval <= interval '0'
WHERE kind = @kind AND key = @key AND revision = @revision AND locked_by = @owner
