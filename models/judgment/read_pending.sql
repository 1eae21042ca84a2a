-- Reads the judgments @records of @workspaces, and @keys, with what the index has of them and their vectors by @model: in one snapshot, so
-- that a text is never older than its revision. The first column reports whether a judgment is shown to anybody.
SELECT coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = j.organization_key), true)
           AND coalesce((SELECT s.removed_at IS NULL FROM subjects s WHERE s.key = j.document_key), true)
           AND coalesce((SELECT j.key > d.through FROM former_members d WHERE d.organization_key = j.organization_key AND d.user_id = j.user_id), true),
       j.workspace_id, j.record_id, j.key, i.revision, i.indexed, j.decision, j.reasoning, j.content, j.organization_key, j.document_key,
       j.judge_type, j.content_type, j.user_id, j.annotation_id, j.created_at, v.review, v.content
FROM judgments j JOIN judgment_index i ON i.key = j.key
LEFT JOIN judgment_vectors v ON v.key = j.key AND v.model = @model AND v.revision = i.revision
WHERE j.key = ANY (@keys::bigint[] || ARRAY(
    SELECT c.key FROM unnest(@workspaces::text[], @records::text[]) AS w (workspace_id, record_id) JOIN judgments c USING (workspace_id, record_id)))
ORDER BY j.key
