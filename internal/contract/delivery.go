package contract

// DeliveryInput is all that the run of a destination is given: ids.
type DeliveryInput struct {
	WorkspaceID   string `json:"workspaceId"`
	DestinationID string `json:"destinationId"`
}
