package output

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/shape"
)

// Callback is what the service itself says in the output of a webhook step that was called
// back; what there is none of is absent.
type Callback struct {
	HTTPStatus        int    `json:"httpStatus,omitempty"`
	Decision          string `json:"decision,omitempty"`
	RejectedBy        string `json:"rejectedBy,omitempty"`
	RejectorMandatory bool   `json:"rejectorMandatory,omitempty"`
}

// callbackKeys are the keys of such an output that only the service writes.
var callbackKeys = []string{"httpStatus", "decision", "rejectedBy", "rejectorMandatory"}

// Encode writes the output with what the receiver sent, a JSON object or nil, which never
// replaces what the service says.
func (c Callback) Encode(sent json.RawMessage) json.RawMessage {
	return beside(shape.Encode(c), sent, callbackKeys)
}
