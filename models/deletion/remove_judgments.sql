-- Removes up to $2 judgments of the workspace $1, with what is noted of them for the index, which has lost them already.
WITH gone AS (
    DELETE FROM judgments WHERE ctid = ANY (ARRAY(SELECT ctid FROM judgments WHERE workspace_id = $1 LIMIT $2)) RETURNING key
), noted AS (
    DELETE FROM judgment_index USING gone WHERE judgment_index.key = gone.key
)
SELECT FROM gone
