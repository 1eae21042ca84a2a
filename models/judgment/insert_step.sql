-- Stores the judgment of a step of an execution that is about an organization, with the reviewer as known there at this moment. The content
-- falls back to the document's name, then to the definition's. What an execution is about may be removed: then it makes no judgments any more.
WITH made AS (
    INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
           user_id, user_name, user_email, agent, organization_key, document_key, created_at)
    SELECT @workspace, @record, 'step', @origin_id, @decision, @reasoning, coalesce(@content, nullif(d.name, ''), @definition), @content_type,
           @confidence, @judge_type, @user::text, coalesce(nullif(p.name, ''), @user::text), nullif(p.email, ''), @agent::json,
           @organization_key::bigint, @document_key::bigint, @decided
    FROM (SELECT) AS one
    LEFT JOIN organizations o ON o.workspace_id = @workspace AND o.organization_id = @organization::text
    LEFT JOIN profiles p ON p.organization_key = o.key AND p.user_id = @user::text
    LEFT JOIN documents d ON d.organization_key = o.key AND d.document_id = @document::text
    WHERE coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = @organization_key::bigint), true)
          AND coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = @document_key::bigint), true)
    ON CONFLICT DO NOTHING
    RETURNING key, workspace_id
)
INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM made
