package kit

import ()

// ContextOf is the trigger context, `{}` where the view says null.
func ContextOf(r *Run) string {
	raw := r.View().TriggerContext
	if len(raw) == 0 || string(raw) == "null" {
		return "{}"
	}
	return string(raw)
}
