package workflow

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/shape"
)

// DefinitionData documents the data of create and lint.
type DefinitionData struct {
	DefinitionID   string            `json:"definitionId" pattern:"^[a-z0-9][a-z0-9-]{2,63}$"`
	Name           string            `json:"name" minLength:"1" maxLength:"200"`
	Description    *string           `json:"description,omitempty" maxLength:"2000" nullable:"true"`
	Scope          *ScopeData        `json:"scope,omitempty"`
	OrganizationID *string           `json:"organizationId,omitempty" minLength:"1" maxLength:"200" nullable:"true" doc:"another place for the scope's id"`
	DocumentID     *string           `json:"documentId,omitempty" minLength:"1" maxLength:"200" nullable:"true" doc:"another place for the scope's id"`
	Nodes          []NodeData        `json:"nodes" minItems:"1" maxItems:"100"`
	Edges          []json.RawMessage `json:"edges" maxItems:"500" doc:"from, to, on (always, approve, reject, custom, exhausted), when, loop {maxIterations 1 to 20}; an end is a nodeId, {kind: node, nodeId} or {kind: group, groupId}"`
	Groups         json.RawMessage   `json:"groups,omitempty" doc:"up to 100 of groupId, memberNodeIds, expectedSteps, quorum, onQuorumMet (waitAll, cancelOnQuorum, joinOnQuorum), requiredNodeIds"`
	Triggers       json.RawMessage   `json:"triggers,omitempty" doc:"at most 50: what starts executions from outside (inboundWebhook) or by the clock (schedule)"`
	WebhookConfig  json.RawMessage   `json:"webhookConfig,omitempty" doc:"receiver of the executions' events: url, secret (16 to 512), eventTypes; never read back"`
	Tags           json.RawMessage   `json:"tags,omitempty" doc:"up to 20 texts of 1 to 64 characters"`
	Custom         json.RawMessage   `json:"custom,omitempty" doc:"an object of up to 64 KiB, kept as sent"`
}

// DefinitionUpdate documents the data of update.
type DefinitionUpdate struct {
	DefinitionData
	IfVersion int `json:"ifVersion" minimum:"1" doc:"the version that this one replaces"`
}

// ScopeData documents a scope.
type ScopeData struct {
	Level          string  `json:"level" enum:"apiKey,organization,document"`
	OrganizationID *string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" nullable:"true"`
	DocumentID     *string `json:"documentId,omitempty" minLength:"1" maxLength:"200" nullable:"true"`
}

// NodeData documents a node.
type NodeData struct {
	NodeID                string       `json:"nodeId" minLength:"1" maxLength:"64"`
	Type                  string       `json:"type" enum:"human,agent,webhook,notification"`
	Config                shape.Object `json:"config" doc:"human: reviewers or reviewerIds, reviewerEmails, commentBody; agent: agentId (of the registry, or __mock__), url or urlPath, userContextMapping, inputMapping, promptOverride, crossPageExecute, maxUrlsToProcess, pollIntervalMs, agentMaxRuntimeMs, blocking, resolutionPolicy; webhook: url, method, bodyTemplate, authMode, authTokenHeader, timeoutMs, expectedStatusCodes, requestHeaders; notification: channel (email or slack), bodyTemplate, recipients and subjectTemplate of mails, slackTarget, format (text, html, slack-blocks)"`
	Name                  *string      `json:"name,omitempty" minLength:"1" maxLength:"200" nullable:"true"`
	Description           *string      `json:"description,omitempty" maxLength:"2000" nullable:"true"`
	RequireNonEmptyOutput *bool        `json:"requireNonEmptyOutput,omitempty" nullable:"true"`
	SLAMs                 *int         `json:"slaMs,omitempty" minimum:"1000" maximum:"604800000" nullable:"true" doc:"deadline in milliseconds from the start of the step"`
}
