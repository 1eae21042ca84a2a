package workflow

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/definition"
)

// ScopeView is the scope of a definition.
type ScopeView struct {
	Level          string  `json:"level" enum:"apiKey,organization,document"`
	OrganizationID *string `json:"organizationId"`
	DocumentID     *string `json:"documentId"`
}

// DefinitionView is a version of a definition. The raw parts are the caller's own
// text, byte for byte; what is not set is null.
type DefinitionView struct {
	DefinitionID string    `json:"definitionId"`
	Name         string    `json:"name"`
	Description  *string   `json:"description"`
	Version      int       `json:"version"`
	Scope        ScopeView `json:"scope"`

	Nodes    AsSent[[]NodeData]      `json:"nodes" notNull:"true" doc:"as sent"`
	Edges    AsSent[[]EdgeData]      `json:"edges" notNull:"true" doc:"as sent"`
	Groups   AsSent[[]StepGroupData] `json:"groups" doc:"as sent, or null"`
	Compiled json.RawMessage         `json:"compiled" doc:"forwardEdges and loops: what an execution runs"`
	Triggers AsSent[[]TriggerData]   `json:"triggers" doc:"as sent without secrets, or null"`
	Tags     AsSent[[]string]        `json:"tags" doc:"as sent, or null"`
	Custom   AsSent[shape.Object]    `json:"custom" doc:"as sent, or null"`

	// Times are epoch milliseconds.
	CreatedAt int64  `json:"createdAt"`
	UpdatedAt int64  `json:"updatedAt"`
	Status    string `json:"status" enum:"active"`
}

func viewDefinition(d definition.View) DefinitionView {
	return DefinitionView{
		DefinitionID: d.DefinitionID, Name: d.Name, Description: d.Description, Version: d.Version, Scope: ScopeView(d.Scope),
		Nodes: AsSent[[]NodeData](d.Nodes), Edges: AsSent[[]EdgeData](d.Edges), Groups: AsSent[[]StepGroupData](d.Groups),
		Compiled: d.Compiled, Triggers: AsSent[[]TriggerData](d.Triggers), Tags: AsSent[[]string](d.Tags), Custom: AsSent[shape.Object](d.Custom),
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, Status: d.Status,
	}
}

// shown is the answer of an operation that returns one version.
func shown(d *definition.View, err error) (*DefinitionView, error) {
	if err != nil {
		return nil, err
	}
	view := viewDefinition(*d)
	return &view, nil
}

// AppendTo writes the view as JSON with the caller's parts as they are: the
// encoder of the standard library would take the white space out of them.
func (v *DefinitionView) AppendTo(out []byte) ([]byte, error) {
	named := []struct {
		key   string
		value any
	}{
		{"definitionId", v.DefinitionID},
		{"name", v.Name},
		{"description", v.Description},
		{"version", v.Version},
		{"scope", v.Scope},
		{"nodes", json.RawMessage(v.Nodes)},
		{"edges", json.RawMessage(v.Edges)},
		{"groups", json.RawMessage(v.Groups)},
		{"compiled", v.Compiled},
		{"triggers", json.RawMessage(v.Triggers)},
		{"tags", json.RawMessage(v.Tags)},
		{"custom", json.RawMessage(v.Custom)},
		{"createdAt", v.CreatedAt},
		{"updatedAt", v.UpdatedAt},
		{"status", v.Status},
	}
	for i, n := range named {
		text, raw := n.value.(json.RawMessage)
		if !raw || text == nil {
			var err error
			if text, err = json.Marshal(n.value); err != nil {
				return nil, err
			}
		}
		out = append(out, "{,"[min(i, 1)])
		out = append(append(append(append(out, '"'), n.key...), '"', ':'), text...)
	}
	return append(out, '}'), nil
}

// VersionView is a line of the list of versions.
type VersionView struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// CreatedAt is epoch milliseconds.
	CreatedAt int64 `json:"createdAt"`
	NodeCount int   `json:"nodeCount"`
	EdgeCount int   `json:"edgeCount"`
}

func viewVersion(v definition.VersionView) VersionView { return VersionView(v) }
