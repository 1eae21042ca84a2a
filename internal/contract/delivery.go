package contract

// Kinds of destinations.
const (
	KindReceiver = "receiver"
	KindEndpoint = "endpoint"
	KindMail     = "mail"
)

// DeliveryInput is all that the run of a destination is given: ids, and what
// kind of destination it is (empty in the runs of an older release).
type DeliveryInput struct {
	WorkspaceID   string `json:"workspaceId"`
	DestinationID string `json:"destinationId"`
	Kind          string `json:"kind,omitempty"`
}

// WorkflowID is the id of the one run that serves the destination: by its own
// id, or by its workspace where it is that of the mails.
func (d DeliveryInput) WorkflowID() string {
	if d.Kind == KindMail {
		return "email/" + d.WorkspaceID
	}
	return "webhook/" + d.DestinationID
}

// DispatchResult is the state of a destination after an activity that dispatched
// for it. NextIn is milliseconds until something can be claimed or a lock ends, nil
// when nothing waits; Details is the text for people in Temporal's UI.
type DispatchResult struct {
	NextIn  *int64 `json:"nextIn,omitempty"`
	Details string `json:"details,omitempty"`
}
