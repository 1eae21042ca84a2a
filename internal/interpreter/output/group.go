package output

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/shape"
)

// Group is the collective output of a group, by the nodes of its members.
type Group struct {
	GroupOutputs      map[string]json.RawMessage `json:"groupOutputs"`
	GroupID           string                     `json:"groupId"`
	Quorum            int                        `json:"quorum"`
	TotalApproved     int                        `json:"totalApproved"`
	Decision          string                     `json:"decision"`
	Approved          bool                       `json:"approved"`
	RejectedBy        string                     `json:"rejectedBy,omitempty"`
	RejectorMandatory *bool                      `json:"rejectorMandatory,omitempty"`
	RejectionReason   string                     `json:"rejectionReason,omitempty"`
}

// RejectedAs takes over who rejected from the output of the member that decided.
func (g *Group) RejectedAs(member json.RawMessage) {
	var said struct {
		RejectedBy        string `json:"rejectedBy"`
		RejectorMandatory *bool  `json:"rejectorMandatory"`
		RejectionReason   string `json:"rejectionReason"`
	}
	if json.Unmarshal(member, &said) == nil {
		g.RejectedBy, g.RejectorMandatory, g.RejectionReason = said.RejectedBy, said.RejectorMandatory, said.RejectionReason
	}
}

// Encode writes the output; beyond the limit of an input the largest members' become null.
func (g Group) Encode() json.RawMessage {
	out := shape.Encode(g)
	for len(out) > InputLimit {
		size := 0
		for _, output := range g.GroupOutputs {
			size += len(output)
		}
		Shorten(g.GroupOutputs, size-(len(out)-InputLimit))
		out = shape.Encode(g)
	}
	return out
}
