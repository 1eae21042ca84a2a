package event

// internal are kept for readers who ask for them and never delivered.
var internal = map[string]bool{
	"step.scheduled": true, "step.started": true, "step.retried": true, "step.resumed": true,
	"step.response-recorded": true, "step.overridden": true, "step.skipped": true,
	"parallel-group.completed": true,
}

// Internal reports whether events of that type are never delivered.
func Internal(of string) bool { return internal[of] }

// Reason is why something failed.
type Reason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// By is who did something to the execution, and why, where they said so.
type By struct {
	ActorID string `json:"actorId,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Act is who did something to a step, and why; null where they did not say. Action is
// empty where the event itself names it.
type Act struct {
	ActorID string  `json:"actorId"`
	Action  string  `json:"action,omitempty"`
	Reason  *string `json:"reason"`
}
