-- Stores the records @records of @workspace whose ids are not known, and returns their ids. Names are from the organization's profiles where
-- the caller gave none; LIMIT makes Postgres look up each by its key, whatever it thinks of the tables.
WITH r AS (
    SELECT r.record_id, r.decision, r.reasoning, r.content, r.content_type, r.category, r.confidence, r.judge_type, r.user_id,
           coalesce(nullif(r.user_name, ''), nullif(p.name, ''), r.user_id) AS user_name,
           coalesce(nullif(r.user_email, ''), nullif(p.email, '')) AS user_email, r.agent, r.organization_key, r.document_key, r.annotation_id,
           coalesce(r.created_at, date_trunc('milliseconds', clock_timestamp())) AS created_at
    FROM json_to_recordset(@records) AS r (record_id text, decision text, reasoning text, content text, content_type text, category text,
         confidence double precision, judge_type text, user_id text, user_name text, user_email text, agent json, organization_id text,
         organization_key bigint, document_key bigint, annotation_id text, created_at timestamptz)
    LEFT JOIN LATERAL (
        SELECT f.name, f.email FROM organizations o JOIN profiles f ON f.organization_key = o.key
        WHERE o.workspace_id = @workspace AND o.organization_id = r.organization_id AND f.user_id = r.user_id LIMIT 1
    ) p ON true
), made AS (
    INSERT INTO judgments (workspace_id, origin, origin_id, record_id, decision, reasoning, content, content_type, category, confidence,
           judge_type, user_id, user_name, user_email, agent, organization_key, document_key, annotation_id, created_at)
    SELECT @workspace, 'record', record_id, r.* FROM r ORDER BY record_id COLLATE "C"
    ON CONFLICT DO NOTHING
    RETURNING key, workspace_id, record_id
), noted AS (INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM made ORDER BY key)
SELECT record_id FROM made
