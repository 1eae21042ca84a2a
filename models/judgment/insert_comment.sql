-- Stores the judgment of a comment, or of what was done with its annotation, unless it has one. Where its document is deleted it has none.
WITH made AS (
    INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
           user_id, user_name, user_email, agent, organization_key, document_key, annotation_id, created_at)
    SELECT @workspace, @record, @origin, @origin_id, @decision, @reasoning, @content, @content_type, @confidence, @judge_type,
           @user, @user_name, @user_email, @agent, s.organization_key, s.document_key, @annotation, @created
    FROM comment_subjects(@workspace, @organization, @document, @document_key) s
    ON CONFLICT DO NOTHING
    RETURNING key, workspace_id
)
INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM made
