-- Puts off a row that was claimed at @revision; @failed where it could not be worked on because something fails.
UPDATE work SET locked_until = '-infinity', locked_by = NULL,
       failing_since = CASE WHEN @failed::boolean THEN coalesce(failing_since, statement_timestamp()) END,
       run_at = statement_timestamp() + @after::interval, ready = @after::interval <= interval '0'
WHERE kind = @kind AND key = @key AND revision = @revision AND locked_by = @owner
