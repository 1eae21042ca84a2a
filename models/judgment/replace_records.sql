-- Puts the records @records of @workspace in the place of those that have their ids, and returns the ids. Names are as insert_records.sql has them.
WITH r AS MATERIALIZED (
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
), changed AS (
    UPDATE judgments j SET (record_id, decision, reasoning, content, content_type, category, confidence, judge_type, user_id, user_name,
           user_email, agent, organization_key, document_key, annotation_id, created_at) = (SELECT r.* FROM r WHERE r.record_id = j.record_id)
    WHERE j.workspace_id = @workspace AND j.record_id = ANY (@ids)
    RETURNING key, workspace_id, record_id
), noted AS (
    INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM changed ORDER BY key
    ON CONFLICT (key) DO UPDATE SET indexed = false, revision = judgment_index.revision + 1
)
SELECT record_id FROM changed
