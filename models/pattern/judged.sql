-- Workspaces that have something to look for, or something that was found, @workspace alone unless that is empty.
SELECT id FROM workspaces w
WHERE (@workspace = '' OR id = @workspace)
      AND (EXISTS (SELECT FROM judgments WHERE workspace_id = w.id) OR EXISTS (SELECT FROM patterns WHERE workspace_id = w.id)
           OR EXISTS (SELECT FROM alerts WHERE workspace_id = w.id))
