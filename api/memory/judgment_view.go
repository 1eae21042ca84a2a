package memory

import (
	"encoding/json"

	"github.com/redline-svc/redline/models/judgment"
)

// JudgmentView is a judgment. CreatedAt is epoch milliseconds; what is not known
// is null.
type JudgmentView struct {
	RecordID    string     `json:"recordId"`
	Reasoning   string     `json:"reasoning"`
	Decision    string     `json:"decision" doc:"approve, reject, resolve, in_progress, comment, or the caller's word"`
	Confidence  float64    `json:"confidence" minimum:"0" maximum:"1"`
	JudgeType   string     `json:"judgeType" enum:"human,agent"`
	ContentType string     `json:"contentType"`
	ActionUser  ActionUser `json:"actionUser"`
	CreatedAt   int64      `json:"createdAt"`

	OrganizationID *string         `json:"organizationId"`
	DocumentID     *string         `json:"documentId"`
	Agent          json.RawMessage `json:"agent" doc:"null when not decided by an agent"`
}

// ActionUser is who judged, as known at that time. Name falls back to the id.
type ActionUser struct {
	UserID string  `json:"userId"`
	Name   string  `json:"name"`
	Email  *string `json:"email"`
}

func viewJudgment(j judgment.View) JudgmentView {
	return JudgmentView{
		RecordID: j.RecordID, Reasoning: j.Reasoning, Decision: j.Decision, Confidence: j.Confidence, JudgeType: j.JudgeType,
		ContentType: j.ContentType, ActionUser: ActionUser(j.ActionUser), CreatedAt: j.CreatedAt,
		OrganizationID: j.OrganizationID, DocumentID: j.DocumentID, Agent: j.Agent,
	}
}
