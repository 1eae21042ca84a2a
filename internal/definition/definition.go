package definition

import (
	"bytes"
	"encoding/json"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
)

// Limits of a definition.
const (
	maxTags       = 20
	maxTag        = 64
	maxCustom     = 64 << 10
	maxScopeID    = 200
	maxEventTypes = 50
)

// Level says how far a definition's executions reach.
type Level string

// The levels of a scope.
const (
	WorkspaceLevel    Level = "apiKey" // the whole workspace
	OrganizationLevel Level = "organization"
	DocumentLevel     Level = "document"
)

// Scope says where a definition may be used. The ids are empty where the level
// has none.
type Scope struct {
	Level          Level
	OrganizationID string
	DocumentID     string
}

// Receiver takes the events of executions that name none of their own.
type Receiver struct {
	URL    string
	Secret string
	// EventTypes limits what is sent; nil means every external event.
	EventTypes []string
}

// Definition is a definition that may be stored and run.
type Definition struct {
	ID    string
	Name  string
	Scope Scope
	Tags  []string
	// IfVersion is the version that an update replaces; zero outside updates.
	IfVersion int
	// Receiver is nil where none was given; then ClearsReceiver reports whether
	// an update takes away the one there is (given as null) or keeps it.
	Receiver       *Receiver
	ClearsReceiver bool
	// Triggers are without their secrets; TriggerSecrets are those given, by
	// triggerId.
	Triggers       []Trigger
	TriggerSecrets map[string]string
	// Snapshot is what is stored: the caller's own text of every part, without
	// secrets and without the scope, whose ids may change by a migration.
	Snapshot []byte
	Graph    *Graph
	// NodeCount and EdgeCount are of the definition as written.
	NodeCount, EdgeCount int
	// Warnings are for lint only.
	Warnings []fault.Issue
}

// Options says what is asked of a definition.
type Options struct {
	// Update wants ifVersion, which nothing else may have.
	Update bool
	// TriggersWithSecret are the triggers whose secret the service has already,
	// so an update may leave it out.
	TriggersWithSecret []string
	// Receiver and Step check the addresses of receivers and of what steps
	// call; the error is a sentence for the caller. Nil lets every address pass.
	Receiver, Step func(raw string) error
	// KnownAgent reports whether the workspace has that agent; nil knows all.
	KnownAgent func(agentID string) bool
}

// Parse reads the data of a create, update or lint call, which must be one JSON
// object. It returns the definition, or every issue in the order of the document
// (at most fault.MaxIssues) and no definition.
func Parse(data []byte, rules Options) (*Definition, []fault.Issue) {
	p := &parser{rules: rules, secrets: map[string]string{}}
	known := []string{
		"definitionId", "name", "description", "scope", "organizationId", "documentId", "nodes", "edges", "groups",
		"triggers", "webhookConfig", "tags", "custom",
	}
	if rules.Update {
		known = append(known, "ifVersion")
	}
	leading := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	o := p.Object(shape.Part{Raw: bytes.TrimSpace(data), At: leading}, known...)
	if o == nil {
		return nil, p.Issues()
	}
	d := &Definition{}
	p.head(o, d)
	draft := p.draft(o)
	p.triggers(o)
	p.lint(draft)
	if p.Faults() > 0 {
		return nil, p.Issues()
	}
	d.TriggerSecrets, d.Snapshot = p.secrets, p.snapshot(o)
	d.Triggers, _ = TriggersOf(d.Snapshot) // it was checked above
	d.Graph, d.Warnings = draft.compile(), draft.warnings(rules)
	d.NodeCount, d.EdgeCount = len(draft.nodes), len(draft.edges)
	return d, nil
}

// head reads everything but the graph and the triggers.
func (p *parser) head(o *shape.Fields, d *Definition) {
	d.ID, _ = o.NeedText("definitionId", shape.TextRule{Pattern: definitionIDPattern})
	d.Name, _ = o.NeedText("name", shape.TextRule{Min: 1, Max: maxName})
	o.Text("description", shape.TextRule{Max: maxDescription})
	d.Tags = o.Texts("tags", 0, maxTags, shape.TextRule{Min: 1, Max: maxTag})
	if p.rules.Update {
		p.ifVersion(o, d)
	}
	p.scope(o, d)
	p.receiver(o, d)
	if custom, there := o.Members["custom"]; there {
		if p.Open(custom); shape.CompactSize(custom.Raw) > maxCustom {
			p.Report(custom, "length", "must have at most 64 KiB")
		}
	}
}

// highestVersion is the highest version there can be: a column of 32 bits.
const highestVersion = 1<<31 - 1

func (p *parser) ifVersion(o *shape.Fields, d *Definition) {
	if _, there := o.Need("ifVersion"); there {
		n, _ := o.Integer("ifVersion", 1, highestVersion)
		d.IfVersion = int(n)
	}
}

// scope reads the scope; its ids may stand beside it too.
func (p *parser) scope(o *shape.Fields, d *Definition) {
	d.Scope.Level = WorkspaceLevel
	inside := o
	if v, there := o.Members["scope"]; there {
		if inside = p.Object(v, "level", "organizationId", "documentId"); inside == nil {
			return
		}
		level, ok := inside.NeedWord("level", string(WorkspaceLevel), string(OrganizationLevel), string(DocumentLevel))
		if !ok {
			return
		}
		d.Scope.Level = Level(level)
	}
	d.Scope.OrganizationID = p.scopeID(o, inside, "organizationId", d.Scope.Level != WorkspaceLevel)
	d.Scope.DocumentID = p.scopeID(o, inside, "documentId", d.Scope.Level == DocumentLevel)
}

// scopeID reads an id from the definition or its scope. A level that has no
// such id refuses one: it would change nothing and look as if it did.
func (p *parser) scopeID(o, inside *shape.Fields, key string, wanted bool) string {
	outer, given := o.Text(key, shape.IDRule(maxScopeID))
	_, outerThere := o.Members[key]
	inner, innerGiven := outer, given
	if inside != o {
		inner, innerGiven = inside.Text(key, shape.IDRule(maxScopeID))
	}
	_, innerThere := inside.Members[key]
	switch {
	case !wanted && innerThere:
		p.Report(inside.Members[key], "conflict", "a scope of this level has no "+key)
	case !wanted && outerThere:
		p.Report(o.Members[key], "conflict", "a scope of this level has no "+key)
	case !wanted:
	case given && innerGiven && inner != outer:
		p.Report(o.Members[key], "conflict", "differs from the scope's "+key)
	case !outerThere && !innerThere:
		inside.Fault(key, "required", "a scope of this level needs "+key)
	case innerGiven:
		return inner
	}
	return outer
}

// receiver reads webhookConfig.
func (p *parser) receiver(o *shape.Fields, d *Definition) {
	_, d.ClearsReceiver = o.Nulls["webhookConfig"]
	v, there := o.Members["webhookConfig"]
	if !there {
		return
	}
	config := p.Object(v, "url", "secret", "eventTypes")
	if config == nil {
		return
	}
	d.Receiver = &Receiver{}
	if url, there := config.Need("url"); there {
		d.Receiver.URL = p.link(url, p.rules.Receiver)
	}
	d.Receiver.Secret, _ = config.NeedText("secret", shape.TextRule{Min: minSecret, Max: maxSecret})
	d.Receiver.EventTypes = config.Texts("eventTypes", 1, maxEventTypes, shape.TextRule{Min: 1, Max: maxEventName})
}

// snapshotKeys are the parts of a definition that a version keeps as text, in
// the order in which they are written.
var snapshotKeys = []string{"name", "description", "nodes", "edges", "groups", "triggers", "tags", "custom"}

// snapshot writes the parts of a version as they came; absent ones stay absent.
func (p *parser) snapshot(o *shape.Fields) []byte {
	out := []byte{'{'}
	for _, key := range snapshotKeys {
		member, there := o.Members[key]
		if !there {
			continue
		}
		raw := member.Raw
		if key == "triggers" {
			raw = member.Replaced(p.cuts)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), key...), '"', ':')
		out = append(out, raw...)
	}
	return append(out, '}')
}

// Parts are the texts of a stored snapshot; nil where the definition has none.
type Parts struct {
	Name        json.RawMessage `json:"name"`
	Description json.RawMessage `json:"description"`
	Nodes       json.RawMessage `json:"nodes"`
	Edges       json.RawMessage `json:"edges"`
	Groups      json.RawMessage `json:"groups"`
	Triggers    json.RawMessage `json:"triggers"`
	Tags        json.RawMessage `json:"tags"`
	Custom      json.RawMessage `json:"custom"`
}

// PartsOf splits a stored snapshot.
func PartsOf(snapshot []byte) (*Parts, error) {
	parts := new(Parts)
	return parts, json.Unmarshal(snapshot, parts)
}
