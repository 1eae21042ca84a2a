-- Stores the judgments @acts of comments, and of what was done with annotations, of one document, unless they have any. Where the document
-- is deleted they have none.
WITH made AS (
    INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
           user_id, user_name, user_email, agent, organization_key, document_key, annotation_id, created_at)
    SELECT @workspace, n.record_id, n.origin, n.origin_id, n.decision, n.reasoning, n.content, n.content_type, n.confidence,
           CASE WHEN n.agent IS NULL THEN 'human' ELSE 'agent' END, n.user_id, n.user_name, n.user_email, n.agent::json,
           s.organization_key, s.document_key, n.annotation_id, n.created_at
    FROM comment_subjects(@workspace, @organization, @document, @document_key) s
    CROSS JOIN json_to_recordset(@acts) AS n (place integer, record_id text, origin text, origin_id text, decision text, reasoning text,
         content text, content_type text, confidence double precision, user_id text, user_name text, user_email text, agent text,
         annotation_id text, created_at timestamptz)
    ORDER BY n.place
    ON CONFLICT DO NOTHING
    RETURNING key, workspace_id
)
INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM made
