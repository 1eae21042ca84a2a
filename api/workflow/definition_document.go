package workflow

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/shape"
)

// DefinitionData documents the data of create and lint.
type DefinitionData struct {
	DefinitionID   string             `json:"definitionId" pattern:"^[a-z0-9][a-z0-9-]{2,63}$"`
	Name           string             `json:"name" minLength:"1" maxLength:"200"`
	Description    *string            `json:"description,omitempty" maxLength:"2000" nullable:"true" example:"From draft to print."`
	Scope          *ScopeData         `json:"scope,omitempty"`
	OrganizationID *string            `json:"organizationId,omitempty" minLength:"1" maxLength:"200" nullable:"true" example:"acme" doc:"another place for the scope's id"`
	DocumentID     *string            `json:"documentId,omitempty" minLength:"1" maxLength:"200" nullable:"true" example:"spring" doc:"another place for the scope's id"`
	Nodes          []NodeData         `json:"nodes" minItems:"1" maxItems:"100"`
	Edges          []EdgeData         `json:"edges" maxItems:"500"`
	Groups         []StepGroupData    `json:"groups,omitempty" maxItems:"100"`
	Triggers       []TriggerData      `json:"triggers,omitempty" maxItems:"50" doc:"what starts executions from outside or by the clock"`
	WebhookConfig  *WebhookConfigData `json:"webhookConfig,omitempty" doc:"receiver of the executions' events; never read back"`
	Tags           []string           `json:"tags,omitempty" maxItems:"20" doc:"of 1 to 64 characters each"`
	Custom         shape.Object       `json:"custom,omitempty" example:"{\"desk\":\"news\"}" doc:"up to 64 KiB, kept as sent"`
}

// DefinitionUpdate documents the data of update.
type DefinitionUpdate struct {
	DefinitionData
	IfVersion int `json:"ifVersion" minimum:"1" doc:"the version that this one replaces"`
}

// ScopeData documents a scope.
type ScopeData struct {
	Level          string  `json:"level" enum:"apiKey,organization,document" example:"document"`
	OrganizationID *string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" nullable:"true" example:"acme"`
	DocumentID     *string `json:"documentId,omitempty" minLength:"1" maxLength:"200" nullable:"true" example:"spring"`
}

// NodeData documents a node.
type NodeData struct {
	NodeID                string       `json:"nodeId" minLength:"1" maxLength:"64"`
	Type                  string       `json:"type" enum:"human,agent,webhook,notification"`
	Config                shape.Object `json:"config" doc:"human: reviewers or reviewerIds, reviewerEmails, commentBody; agent: agentId (of the registry, or __mock__), url or urlPath, userContextMapping, inputMapping, promptOverride, crossPageExecute, maxUrlsToProcess, pollIntervalMs, agentMaxRuntimeMs, blocking, resolutionPolicy; webhook: url, method, bodyTemplate, authMode, authTokenHeader, timeoutMs, expectedStatusCodes, requestHeaders; notification: channel (email or slack), bodyTemplate, recipients and subjectTemplate of mails, slackTarget, format (text, html, slack-blocks)"`
	Name                  *string      `json:"name,omitempty" minLength:"1" maxLength:"200" nullable:"true"`
	Description           *string      `json:"description,omitempty" maxLength:"2000" nullable:"true" example:"The chief signs."`
	RequireNonEmptyOutput *bool        `json:"requireNonEmptyOutput,omitempty" nullable:"true" example:"true"`
	SLAMs                 *int         `json:"slaMs,omitempty" minimum:"1000" maximum:"604800000" nullable:"true" example:"86400000" doc:"deadline in milliseconds from the start of the step"`
}

// EdgeData documents an edge.
type EdgeData struct {
	From End       `json:"from"`
	To   End       `json:"to"`
	On   *string   `json:"on,omitempty" enum:"always,approve,reject,custom,exhausted" nullable:"true" doc:"default always"`
	When *string   `json:"when,omitempty" nullable:"true" example:"{\"args\":[{\"var\":\"output.decision\"},\"reject\"],\"op\":\"eq\"}" doc:"of an edge on custom: the predicate as JSON in a text"`
	Loop *LoopData `json:"loop,omitempty" doc:"the edge goes back"`
}

// End documents an end of an edge.
type End struct{}

// Schema documents both forms of an end.
func (End) Schema(huma.Registry) *huma.Schema {
	id := func(example string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Examples: []any{example}}
	}
	kind := id("group")
	kind.Enum = []any{"node", "group"}
	named := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{"kind": kind, "nodeId": id("sign-off"), "groupId": id("signers")}, Required: []string{"kind"},
	}
	return &huma.Schema{Description: "a nodeId, {kind: node, nodeId} or {kind: group, groupId}", OneOf: []*huma.Schema{{Type: huma.TypeString}, named}}
}

// LoopData documents how often an edge goes back.
type LoopData struct {
	MaxIterations int `json:"maxIterations" minimum:"1" maximum:"20" example:"3"`
}

// StepGroupData documents a group: nodes whose steps are decided together.
type StepGroupData struct {
	GroupID         string   `json:"groupId" minLength:"1" maxLength:"64" example:"signers"`
	MemberNodeIDs   []string `json:"memberNodeIds" minItems:"1" maxItems:"500" example:"sign-off,check"`
	ExpectedSteps   int      `json:"expectedSteps" minimum:"1" example:"2" doc:"at most as many as there are members"`
	Quorum          int      `json:"quorum" minimum:"1" example:"1" doc:"at most expectedSteps"`
	OnQuorumMet     *string  `json:"onQuorumMet,omitempty" enum:"waitAll,cancelOnQuorum,joinOnQuorum" nullable:"true" example:"cancelOnQuorum" doc:"default waitAll"`
	RequiredNodeIDs []string `json:"requiredNodeIds,omitempty" example:"sign-off" doc:"members without whom the quorum is not met"`
}

// TriggerData documents a trigger.
type TriggerData struct {
	TriggerID      string              `json:"triggerId" example:"on-push"`
	EventName      *string             `json:"eventName,omitempty" maxLength:"128" nullable:"true" example:"push"`
	Filters        shape.Object        `json:"filters,omitempty" example:"{\"ref\":\"refs/heads/main\"}" doc:"up to 20 dot paths, each with the value or the values that are let through"`
	InboundWebhook *InboundWebhookData `json:"inboundWebhook,omitempty"`
	Schedule       *ScheduleData       `json:"schedule,omitempty" doc:"instead of inboundWebhook"`
}

// InboundWebhookData documents what starts executions from outside.
type InboundWebhookData struct {
	AuthMode            string   `json:"authMode" enum:"hmac,bearer" example:"hmac"`
	Secret              *string  `json:"secret,omitempty" minLength:"16" maxLength:"512" nullable:"true" example:"a secret of the sender" doc:"required the first time; never read back"`
	Provider            *string  `json:"provider,omitempty" enum:"svc,github,vercel,custom" nullable:"true" example:"custom"`
	SignatureHeader     *string  `json:"signatureHeader,omitempty" minLength:"1" maxLength:"128" nullable:"true" example:"x-signature" doc:"required for custom"`
	SignatureAlgorithm  *string  `json:"signatureAlgorithm,omitempty" enum:"sha256,sha1" nullable:"true" example:"sha256" doc:"required for custom"`
	SignaturePrefix     *string  `json:"signaturePrefix,omitempty" maxLength:"128" nullable:"true" example:"sha256="`
	EventNameHeader     *string  `json:"eventNameHeader,omitempty" minLength:"1" maxLength:"128" nullable:"true" example:"x-event"`
	AllowedEvents       []string `json:"allowedEvents,omitempty" maxItems:"50" example:"push"`
	IdempotencyHeader   *string  `json:"idempotencyHeader,omitempty" minLength:"1" maxLength:"128" nullable:"true" example:"x-delivery-id"`
	IdempotencyBodyPath *string  `json:"idempotencyBodyPath,omitempty" minLength:"1" maxLength:"256" nullable:"true" example:"delivery.id"`
	PayloadMapping      *string  `json:"payloadMapping,omitempty" enum:"wrap" nullable:"true" example:"wrap"`
}

// ScheduleData documents what starts executions by the clock.
type ScheduleData struct {
	Cron            string          `json:"cron" example:"0 6 * * 1" doc:"five fields"`
	Timezone        string          `json:"timezone" example:"Europe/Berlin" doc:"its IANA name"`
	Enabled         bool            `json:"enabled" example:"true"`
	PayloadTemplate json.RawMessage `json:"payloadTemplate,omitempty" example:"{\"documentId\":\"spring\"}" doc:"up to 64 KiB"`
}

// WebhookConfigData documents the receiver of the events of executions that name none.
type WebhookConfigData struct {
	URL        string   `json:"url" example:"https://hooks.example.com/redline"`
	Secret     string   `json:"secret" minLength:"16" maxLength:"512" example:"a secret of the receiver"`
	EventTypes []string `json:"eventTypes,omitempty" maxItems:"50" example:"execution.completed" doc:"absent: all"`
}

// AsSent is a part of a definition as its caller wrote it, byte for byte, or nil; T documents it.
type AsSent[T any] json.RawMessage

// Schema documents the part.
func (AsSent[T]) Schema(registry huma.Registry) *huma.Schema {
	return registry.Schema(reflect.TypeFor[T](), true, "")
}

// MarshalJSON returns the part, null where there is none.
func (a AsSent[T]) MarshalJSON() ([]byte, error) { return json.RawMessage(a).MarshalJSON() }

// UnmarshalJSON keeps the part as it is.
func (a *AsSent[T]) UnmarshalJSON(text []byte) error {
	return (*json.RawMessage)(a).UnmarshalJSON(text)
}
