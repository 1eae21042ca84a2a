package workspace

import "cmp"

// Caller is who calls an operation, as its credentials say. It travels in the
// context of a request and ends up in audit rows.
type Caller struct {
	// WorkspaceID is the tenant. Empty for an operation without credentials.
	WorkspaceID string
	// APIKeyID is the API key used. Empty for workspace credentials.
	APIKeyID string
	// IP is the client's address as text, behind trusted proxies the forwarded one.
	IP string
	// RequestID is the x-request-id of the request.
	RequestID string
	// Operation is the path of the operation called.
	Operation string

	// Person is the operator who calls with the tool, without credentials.
	Person string `json:"-"`

	// ExecutionID and StepID name the one step that the caller's token opens; empty for
	// callers with keys.
	ExecutionID string `json:"-"`
	StepID      string `json:"-"`
}

// Actor names the caller in audit rows: the operator, the API key, or else the workspace.
func (c Caller) Actor() string { return cmp.Or(c.Person, c.APIKeyID, c.WorkspaceID) }
