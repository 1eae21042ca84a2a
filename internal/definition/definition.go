package definition

import (
	"bytes"
	"encoding/json"

	"github.com/redline-svc/redline/internal/fault"
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
// object. It gives the definition, or every issue in the order of the document
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
	o := p.object(value{raw: bytes.TrimSpace(data), at: leading}, known...)
	if o == nil {
		return nil, p.issues()
	}
	d := &Definition{}
	p.head(o, d)
	draft := p.draft(o)
	p.triggers(o)
	p.lint(draft)
	if len(p.found) > 0 {
		return nil, p.issues()
	}
	d.TriggerSecrets, d.Snapshot = p.secrets, p.snapshot(o)
	d.Triggers, _ = TriggersOf(d.Snapshot) // it was checked above
	d.Graph, d.Warnings = draft.compile(), draft.warnings(rules)
	d.NodeCount, d.EdgeCount = len(draft.nodes), len(draft.edges)
	return d, nil
}

// head reads everything but the graph and the triggers.
func (p *parser) head(o *object, d *Definition) {
	d.ID, _ = o.needText("definitionId", textRule{pattern: definitionIDPattern})
	d.Name, _ = o.needText("name", textRule{min: 1, max: maxName})
	o.text("description", textRule{max: maxDescription})
	d.Tags = o.texts("tags", 0, maxTags, textRule{min: 1, max: maxTag})
	if p.rules.Update {
		p.ifVersion(o, d)
	}
	p.scope(o, d)
	p.receiver(o, d)
	if custom, there := o.members["custom"]; there {
		if p.open(custom); compactSize(custom.raw) > maxCustom {
			p.report(custom, "length", "must have at most 64 KiB")
		}
	}
}

// highestVersion is the highest version there can be: a column of 32 bits.
const highestVersion = 1<<31 - 1

func (p *parser) ifVersion(o *object, d *Definition) {
	if _, there := o.need("ifVersion"); there {
		n, _ := o.integer("ifVersion", 1, highestVersion)
		d.IfVersion = int(n)
	}
}

// scope reads the scope; its ids may stand beside it too.
func (p *parser) scope(o *object, d *Definition) {
	d.Scope.Level = WorkspaceLevel
	inside := o
	if v, there := o.members["scope"]; there {
		if inside = p.object(v, "level", "organizationId", "documentId"); inside == nil {
			return
		}
		level, ok := inside.needWord("level", string(WorkspaceLevel), string(OrganizationLevel), string(DocumentLevel))
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
func (p *parser) scopeID(o, inside *object, key string, wanted bool) string {
	outer, given := o.text(key, idRule(maxScopeID))
	_, outerThere := o.members[key]
	inner, innerGiven := outer, given
	if inside != o {
		inner, innerGiven = inside.text(key, idRule(maxScopeID))
	}
	_, innerThere := inside.members[key]
	switch {
	case !wanted && innerThere:
		p.report(inside.members[key], "conflict", "a scope of this level has no "+key)
	case !wanted && outerThere:
		p.report(o.members[key], "conflict", "a scope of this level has no "+key)
	case !wanted:
	case given && innerGiven && inner != outer:
		p.report(o.members[key], "conflict", "differs from the scope's "+key)
	case !outerThere && !innerThere:
		inside.fault(key, "required", "a scope of this level needs "+key)
	case innerGiven:
		return inner
	}
	return outer
}

// receiver reads webhookConfig.
func (p *parser) receiver(o *object, d *Definition) {
	_, d.ClearsReceiver = o.nulls["webhookConfig"]
	v, there := o.members["webhookConfig"]
	if !there {
		return
	}
	config := p.object(v, "url", "secret", "eventTypes")
	if config == nil {
		return
	}
	d.Receiver = &Receiver{}
	if url, there := config.need("url"); there {
		d.Receiver.URL = p.link(url, p.rules.Receiver)
	}
	d.Receiver.Secret, _ = config.needText("secret", textRule{min: minSecret, max: maxSecret})
	d.Receiver.EventTypes = config.texts("eventTypes", 1, maxEventTypes, textRule{min: 1, max: maxEventName})
}

// snapshotKeys are the parts of a definition that a version keeps as text, in
// the order in which they are written.
var snapshotKeys = []string{"name", "description", "nodes", "edges", "groups", "triggers", "tags", "custom"}

// snapshot writes the parts of a version as they came; absent ones stay absent.
func (p *parser) snapshot(o *object) []byte {
	out := []byte{'{'}
	for _, key := range snapshotKeys {
		member, there := o.members[key]
		if !there {
			continue
		}
		raw := member.raw
		if key == "triggers" {
			raw = member.replaced(p.cuts)
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
