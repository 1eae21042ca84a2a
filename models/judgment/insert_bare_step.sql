-- Stores the judgment of a step outside of any organization, where nothing more is known of reviewer and document.
WITH made AS (
    INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence,
           user_id, user_name, document_key, created_at, judge_type, agent)
    VALUES (@workspace, @record, 'step', @origin_id, @decision, @reasoning, coalesce(@content, @definition), @content_type, @confidence,
            @user, @user, @document_key, @decided, @judge_type, @agent)
    ON CONFLICT DO NOTHING
    RETURNING key, workspace_id
)
INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM made
