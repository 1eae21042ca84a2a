-- Marks up to @most workspaces as looked through by the model that serves, of which the patterns were looked for by vectors of another one.
WITH serving AS (SELECT model FROM index_generations WHERE state = 'serving')
UPDATE pattern_runs r SET model = s.model FROM serving s
WHERE r.workspace_id = ANY (ARRAY(SELECT o.workspace_id FROM pattern_runs o, serving n WHERE o.model < n.model OR o.model > n.model
                                  LIMIT @most FOR UPDATE OF o SKIP LOCKED))
RETURNING r.workspace_id
