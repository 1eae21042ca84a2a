package memory

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/shape"
	judgments "github.com/redline-svc/redline/models/judgment"
)

const (
	// byAgent is the type of judgments that an agent made, byHuman that of others.
	byAgent, byHuman = "agent", "human"
	// generalContent is the type of content where the caller names none.
	generalContent = "general"
	// How sure a judgment is whose caller does not say it, 0 to 1.
	humanConfidence, agentConfidence = 0.90, 0.70
	// createdAhead is how far the clock of a caller may be ahead of ours.
	createdAhead = 5 * time.Minute
)

// RecordJudgments is one judgment, or a list of them.
type RecordJudgments struct {
	Judgments  *[]JudgmentData `json:"judgments,omitempty" minItems:"1" maxItems:"100" doc:"stands alone"`
	Decision   string          `json:"decision,omitempty" minLength:"1" maxLength:"64" notBlank:"true" doc:"required without judgments"`
	ActionUser *JudgmentActor  `json:"actionUser,omitempty" doc:"required without judgments"`
	JudgmentFields
}

// JudgmentData is a judgment of a list.
type JudgmentData struct {
	Decision   string        `json:"decision" minLength:"1" maxLength:"64" notBlank:"true" doc:"any spelling of the decision"`
	ActionUser JudgmentActor `json:"actionUser"`
	JudgmentFields
}

// JudgmentFields are the optional fields of a judgment.
type JudgmentFields struct {
	RecordID       string         `json:"recordId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" doc:"the key for repetition; must not begin with jdg_"`
	Reasoning      string         `json:"reasoning,omitempty" maxLength:"10000" example:"Well sourced."`
	Content        string         `json:"content,omitempty" maxLength:"50000" example:"The spring article."`
	ContentType    string         `json:"contentType,omitempty" minLength:"1" maxLength:"64" notBlank:"true" example:"article" doc:"default general"`
	Category       string         `json:"category,omitempty" minLength:"1" maxLength:"64" notBlank:"true" example:"Sources"`
	OrganizationID string         `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"acme"`
	DocumentID     string         `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring" doc:"needs organizationId"`
	AnnotationID   string         `json:"annotationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"a1" doc:"needs organizationId"`
	JudgeType      string         `json:"judgeType,omitempty" enum:"human,agent" example:"human" doc:"default human; agent needs the agent"`
	Agent          *JudgmentAgent `json:"agent,omitempty" doc:"only with judgeType agent"`
	Confidence     *float64       `json:"confidence,omitempty" minimum:"0" maximum:"1" example:"0.9" doc:"default 0.90, of an agent 0.70"`
	CreatedAt      *int64         `json:"createdAt,omitempty" minimum:"0" example:"1767225600000" doc:"epoch ms, at most 5 minutes ahead; default now"`
	Replace        bool           `json:"replace,omitempty" example:"true" doc:"put the fields in the place of those of a known recordId"`
}

// JudgmentActor is who judged.
type JudgmentActor struct {
	UserID string  `json:"userId" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id"`
	Name   *string `json:"name,omitempty" maxLength:"200" example:"Ann" doc:"default the one known in the organization, else the id"`
	Email  *string `json:"email,omitempty" maxLength:"320" example:"ann@example.com"`
}

// JudgmentAgent is the agent that judged, with its id or its name.
type JudgmentAgent struct {
	AgentID     *string      `json:"agentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" example:"copy-checker"`
	AgentType   *string      `json:"agentType,omitempty" minLength:"1" maxLength:"200" notBlank:"true" example:"custom"`
	AgentName   *string      `json:"agentName,omitempty" minLength:"1" maxLength:"200" notBlank:"true" example:"Copy checker"`
	ExecutionID *string      `json:"executionId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" example:"exec_1767225600000_a1b2c3d4"`
	AgentFields shape.Object `json:"agentFields,omitempty" storable:"true" maxBytes:"65536" example:"{\"rule\":\"serial comma\"}"`
}

// Validate checks what tags cannot say.
func (r *RecordJudgments) Validate() []fault.Issue {
	var issues []fault.Issue
	at := rpc.IssuesIn(&issues)
	now := time.Now()
	switch one := r.one(); {
	case r.Judgments == nil:
		if r.Decision == "" {
			at.At("decision").Add(shape.Required, "is required")
		}
		if r.ActionUser == nil {
			at.At("actionUser").Add(shape.Required, "is required")
		}
		one.check(at, now)
	case one != JudgmentData{} || r.ActionUser != nil:
		at.At("judgments").Add(shape.Conflict, "must stand alone: a call records one judgment or a list")
	default:
		checkJudgments(at.At("judgments"), *r.Judgments, now)
	}
	return issues
}

// one is the judgment of a call without a list.
func (r *RecordJudgments) one() JudgmentData {
	one := JudgmentData{Decision: r.Decision, JudgmentFields: r.JudgmentFields}
	if r.ActionUser != nil {
		one.ActionUser = *r.ActionUser
	}
	return one
}

// all are the judgments of a call.
func (r *RecordJudgments) all() []JudgmentData {
	if r.Judgments != nil {
		return *r.Judgments
	}
	return []JudgmentData{r.one()}
}

// checkJudgments checks each of a list, and that no two have one id.
func checkJudgments(list rpc.Issues, all []JudgmentData, now time.Time) {
	seen := map[string]bool{}
	for i := range all {
		at := list.At(strconv.Itoa(i))
		all[i].check(at, now)
		if id := all[i].RecordID; id != "" {
			if seen[id] {
				at.At("recordId").Add(shape.Duplicate, "is there twice in the request")
			}
			seen[id] = true
		}
	}
}

// check looks at the fields of a judgment together.
func (f *JudgmentFields) check(at rpc.Issues, now time.Time) {
	if strings.HasPrefix(f.RecordID, id.Judgment+"_") {
		at.At("recordId").Add(shape.Pattern, "must not begin with "+id.Judgment+"_, as ids made by the service do")
	}
	if f.OrganizationID == "" && (f.DocumentID != "" || f.AnnotationID != "") {
		at.At("organizationId").Add(shape.Required, "is required with documentId and annotationId")
	}
	if f.CreatedAt != nil && *f.CreatedAt > now.Add(createdAhead).UnixMilli() {
		at.At("createdAt").Add(shape.Range, "must be at most 5 minutes ahead")
	}
	switch {
	case f.JudgeType == byAgent && f.Agent == nil:
		at.At("agent").Add(shape.Required, "is required with judgeType agent")
	case f.JudgeType == byAgent && f.Agent.AgentID == nil && f.Agent.AgentName == nil:
		at.At("agent", "agentId").Add(shape.Required, "is required without agentName")
	case f.JudgeType != byAgent && f.Agent != nil:
		at.At("agent").Add(shape.Conflict, "needs judgeType agent")
	}
}

// record is the judgment as it is stored.
func (d *JudgmentData) record() judgments.Record {
	r := judgments.Record{
		RecordID: d.RecordID, Decision: judgment.Word(d.Decision), Reasoning: shape.Unblank(d.Reasoning), Content: shape.Unblank(d.Content),
		ContentType: generalContent, Confidence: humanConfidence, JudgeType: byHuman,
		UserID: d.ActionUser.UserID, UserName: filled(d.ActionUser.Name), UserEmail: filled(d.ActionUser.Email),
		OrganizationID: d.OrganizationID, DocumentID: d.DocumentID, Replace: d.Replace,
	}
	if d.Agent != nil {
		r.JudgeType, r.Confidence, r.Agent = byAgent, agentConfidence, d.Agent.stored()
	}
	if d.ContentType != "" {
		r.ContentType = d.ContentType
	}
	if d.Category != "" {
		r.Category = &d.Category
	}
	if d.AnnotationID != "" {
		r.AnnotationID = &d.AnnotationID
	}
	if d.Confidence != nil {
		r.Confidence = *d.Confidence
	}
	if d.CreatedAt != nil {
		at := time.UnixMilli(*d.CreatedAt).UTC()
		r.CreatedAt = &at
	}
	return r
}

// filled is nil for a text of white space only, which counts as empty.
func filled(text *string) *string {
	if text == nil || shape.Unblank(*text) == "" {
		return nil
	}
	return text
}

// stored is the agent as judgments show it; what is absent is null.
func (a *JudgmentAgent) stored() json.RawMessage {
	text, _ := json.Marshal(struct { // made of texts and of JSON that was read
		AgentID     *string      `json:"agentId"`
		AgentType   *string      `json:"agentType"`
		AgentName   *string      `json:"agentName"`
		ExecutionID *string      `json:"executionId"`
		AgentFields shape.Object `json:"agentFields"`
	}(*a))
	return text
}

// JudgmentsRecorded says in the order of the request what became of each judgment.
type JudgmentsRecorded struct {
	Results []RecordedJudgment `json:"results"`
}

// RecordedJudgment is a judgment's id. Created is false where it was known.
type RecordedJudgment struct {
	RecordID string `json:"recordId"`
	Created  bool   `json:"created"`
}

// Record stores judgments that were made elsewhere.
func (j *Judgments) Record(ctx context.Context, req *RecordJudgments) (*JudgmentsRecorded, error) {
	all := req.all()
	records := make([]judgments.Record, len(all))
	for i := range all {
		records[i] = all[i].record()
	}
	done, err := j.store.Record(ctx, rpc.CallerFrom(ctx).WorkspaceID, records)
	if err != nil {
		return nil, err
	}
	return &JudgmentsRecorded{rpc.Each(done, func(r judgments.Recorded) RecordedJudgment { return RecordedJudgment(r) })}, nil
}
