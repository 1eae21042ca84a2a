package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/workspace"
)

type versionStore interface {
	AddVersion(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string, change agent.Behaviour) (number int, err error)
	RestoreVersion(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string, number int) (restored int, err error)
	Versions(ctx context.Context, workspaceID, agentID string, after *int, size int) (page *agent.VersionPage, current int, err error)
}

// AgentVersions are the operations on versions of agents' behaviours.
type AgentVersions struct {
	store   versionStore
	cursors *cursor.Codec
}

// NewAgentVersions makes the operations.
func NewAgentVersions(store versionStore, cursors *cursor.Codec) *AgentVersions {
	return &AgentVersions{store: store, cursors: cursors}
}

// BehaviourData is how an agent is to work, in its own terms: the service hands it over with each call, as it was sent. It is no
// place for secrets.
type BehaviourData struct {
	Instructions    *string `json:"instructions,omitempty" maxLength:"32000" example:"Look for passive voice." doc:"the behaviour is 64 KiB of JSON at most; no place for secrets"`
	RawInstructions *string `json:"rawInstructions,omitempty" maxLength:"32000" example:"Look for passive voice. Say nothing of headlines."`
	PhaseTimeoutMs  *int64  `json:"phaseTimeoutMs,omitempty" minimum:"1" example:"60000"`
	BehaviourObjects
}

// BehaviourChange are fields of a behaviour of which null clears one.
type BehaviourChange struct {
	Instructions    *string `json:"instructions,omitempty" nullable:"true" maxLength:"32000" doc:"null clears, here and below"`
	RawInstructions *string `json:"rawInstructions,omitempty" nullable:"true" maxLength:"32000" example:"Look for passive voice. Say nothing of headlines."`
	PhaseTimeoutMs  *int64  `json:"phaseTimeoutMs,omitempty" nullable:"true" minimum:"1" example:"60000"`
	BehaviourObjects
}

// BehaviourObjects are the fields of a behaviour that are open objects.
type BehaviourObjects struct {
	ContextGathering shape.Object `json:"contextGathering,omitempty" storable:"true" example:"{\"pages\":\"all\"}"`
	Execution        shape.Object `json:"execution,omitempty" storable:"true" example:"{\"temperature\":0}"`
	Response         shape.Object `json:"response,omitempty" storable:"true" example:"{\"language\":\"en\"}"`
	PostProcess      shape.Object `json:"postProcess,omitempty" storable:"true" example:"{\"dedupe\":true}"`
	Input            shape.Object `json:"input,omitempty" storable:"true" example:"{\"style\":\"house\"}"`
	Scope            shape.Object `json:"scope,omitempty" storable:"true" example:"{\"pages\":\"all\"}"`
	Setup            shape.Object `json:"setup,omitempty" storable:"true" example:"{\"viewport\":\"desktop\"}"`
}

// behaviourFields are the names of these.
var behaviourFields = []string{
	"instructions", "rawInstructions", "phaseTimeoutMs", "contextGathering", "execution", "response", "postProcess", "input", "scope", "setup",
}

// behaviourOf are the fields that were sent; those that were cleared are null.
func behaviourOf(fields any, cleared shape.Nulls) agent.Behaviour {
	sent := agent.Behaviour{}
	text, _ := json.Marshal(fields) // values that were read as JSON
	for _, field := range shape.MembersOf(text) {
		sent[field.Name] = field.Value
	}
	for _, name := range behaviourFields {
		if cleared.Null(name) {
			sent[name] = json.RawMessage("null")
		}
	}
	return sent
}

// UpdateAgentVersion is the request of version/update: what is sent replaces a field, null clears one.
type UpdateAgentVersion struct {
	AgentRef
	BehaviourChange
	Cleared shape.Nulls `json:"-"`
}

// Validate wants a field.
func (r *UpdateAgentVersion) Validate() []fault.Issue {
	if len(r.behaviour()) > 0 {
		return nil
	}
	return []fault.Issue{{Code: shape.Required, Message: "at least one field of the behaviour is required"}}
}

func (r *UpdateAgentVersion) behaviour() agent.Behaviour {
	return behaviourOf(r.BehaviourChange, r.Cleared)
}

// AgentVersionNumber is the data of an answer with the number of the current version.
type AgentVersionNumber struct {
	Version int `json:"version"`
}

func shownVersion(message string, number int, err error) (*rpc.Success[AgentVersionNumber], error) {
	if err != nil {
		return nil, err
	}
	return rpc.Succeed(message, AgentVersionNumber{number}), nil
}

// Update makes the next version.
func (a *AgentVersions) Update(ctx context.Context, req *UpdateAgentVersion) (*rpc.Success[AgentVersionNumber], error) {
	caller := rpc.CallerFrom(ctx)
	number, err := a.store.AddVersion(ctx, caller.WorkspaceID, caller, req.AgentID, req.behaviour())
	return shownVersion("Agent version made.", number, err)
}

// RestoreAgentVersion is the request of version/restore.
type RestoreAgentVersion struct {
	AgentRef
	Version int `json:"version,omitempty" minimum:"1" doc:"default the one before the current"`
}

// Restore goes back to a version; all of them stay.
func (a *AgentVersions) Restore(ctx context.Context, req *RestoreAgentVersion) (*rpc.Success[AgentVersionNumber], error) {
	caller := rpc.CallerFrom(ctx)
	number, err := a.store.RestoreVersion(ctx, caller.WorkspaceID, caller, req.AgentID, req.Version)
	return shownVersion("Agent version restored.", number, err)
}

// ListAgentVersions is the request of version/list.
type ListAgentVersions struct {
	AgentRef
	PageSize  int    `json:"pageSize,omitempty" minimum:"1" maximum:"100" example:"50" doc:"default 100"`
	PageToken string `json:"pageToken,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// AgentVersionView is a version of an agent's behaviour, of which only the fields are there that it has.
type AgentVersionView struct {
	ID        string `json:"id" doc:"v and the number"`
	Version   int    `json:"version"`
	CreatedAt int64  `json:"createdAt" doc:"epoch ms"`
	BehaviourData
}

func viewAgentVersion(v agent.Version) AgentVersionView {
	view := AgentVersionView{ID: fmt.Sprint("v", v.Number), Version: v.Number, CreatedAt: v.CreatedAt.UnixMilli()}
	text, _ := json.Marshal(v.Behaviour)
	_ = json.Unmarshal(text, &view.BehaviourData) // it was written from one
	return view
}

// AgentVersionList is a page of versions, newest first.
type AgentVersionList struct {
	Versions       []AgentVersionView `json:"versions"`
	CurrentVersion int                `json:"currentVersion"`
}

const agentVersionsList = "agents/version/list"

// maxVersionPage is how many versions a page has at most, and by default.
const maxVersionPage = 100

// List reads a page of the versions of an agent.
func (a *AgentVersions) List(ctx context.Context, req *ListAgentVersions) (*rpc.Success[AgentVersionList], error) {
	workspaceID, current := rpc.CallerFrom(ctx).WorkspaceID, 0
	pages := rpc.Pages{Codec: a.cursors, Field: "pageToken", WorkspaceID: workspaceID, List: agentVersionsList, Filters: req.AgentID}
	found, next, err := rpc.List(pages, req.PageToken, viewAgentVersion, func(after *int) (page *agent.VersionPage, err error) {
		page, current, err = a.store.Versions(ctx, workspaceID, req.AgentID, after, cmp.Or(req.PageSize, maxVersionPage))
		return page, err
	})
	return rpc.Found("Agent versions found.", AgentVersionList{found, current}, next, err)
}
