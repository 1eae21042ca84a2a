package contract

// DeliveryInput is all that the run of a destination is given: ids.
type DeliveryInput struct {
	WorkspaceID   string `json:"workspaceId"`
	DestinationID string `json:"destinationId"`
}

// DrainResult tells how a destination stands after an activity that drew from
// it. NextIn is milliseconds until something can be drawn or a hold ends, nil
// when nothing waits; Details is the text for people in the engine's UI.
type DrainResult struct {
	NextIn  *int64 `json:"nextIn,omitempty"`
	Details string `json:"details,omitempty"`
}
