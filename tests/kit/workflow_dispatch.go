package kit

import "cmp"

// ContextOf returns the trigger context of an execution, `{}` where the view has null.
func ContextOf(r *Run) string {
	return cmp.Or(r.View().TriggerContext.String(), "{}")
}
