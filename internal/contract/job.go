package contract

// JobInput is all that the run of a job is given: ids and the kind.
type JobInput struct {
	WorkspaceID string `json:"workspaceId"`
	ID          string `json:"id"`
	Kind        string `json:"kind"`
}

// WorkflowID is the id of the one run that works on the job, by which operators find
// it.
func (j JobInput) WorkflowID() string { return j.Kind + "/" + j.ID }

// JobResult says how a try went: More means that there is more to do than one try
// may.
type JobResult struct {
	More bool `json:"more"`
	// Done is how many rows the try has dealt with, for people who read the history.
	Done int64 `json:"done"`
}
