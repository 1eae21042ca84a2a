package kit

// OnlyCompleted narrows an endpoint to one message per execution.
var OnlyCompleted = map[string]any{"filterTypes": []string{"execution.completed"}}
