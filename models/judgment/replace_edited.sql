-- Lets the judgments of the comments @origins of @workspace say what those say now, and returns the record ids of those that change. The names
-- in one are left alone as long as it is the same person's: they are those of the act.
WITH changed AS (
    UPDATE judgments j SET reasoning = n.reasoning, user_id = n.user_id, created_at = n.created_at,
           user_name = CASE j.user_id WHEN n.user_id THEN j.user_name ELSE n.user_name END,
           user_email = CASE j.user_id WHEN n.user_id THEN j.user_email ELSE n.user_email END
    FROM unnest(@origins::text[], @reasonings::text[], @users::text[], @names::text[], @emails::text[], @times::timestamptz[])
         AS n (origin_id, reasoning, user_id, user_name, user_email, created_at)
    WHERE j.workspace_id = @workspace AND j.origin = 'comment' AND j.origin_id = n.origin_id
          AND (j.reasoning, j.user_id, j.created_at) IS DISTINCT FROM (n.reasoning, n.user_id, n.created_at)
    RETURNING j.key, j.workspace_id, j.record_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM changed ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT record_id FROM changed
