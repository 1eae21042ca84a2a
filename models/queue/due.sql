-- Which of @kinds have a row that may be claimed: one whose time has come, or one that is ready and not locked. Whether its
-- group has a place for it, and whether its workspace is stopped, only a claim finds out.
SELECT kind FROM unnest(@kinds::text[]) AS asked (kind)
WHERE EXISTS (SELECT FROM work WHERE work.kind = asked.kind AND NOT ready AND run_at <= statement_timestamp())
   OR EXISTS (SELECT FROM work WHERE work.kind = asked.kind AND ready AND locked_until <= statement_timestamp())
