package kit

// ContextOf returns the trigger context of an execution, `{}` where the view has null.
func ContextOf(r *Run) string {
	raw := r.View().TriggerContext
	if len(raw) == 0 || string(raw) == "null" {
		return "{}"
	}
	return string(raw)
}
