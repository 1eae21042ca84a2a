package definition

import "github.com/redline-svc/redline/internal/shape"

// Limits of nodes.
const (
	maxNodes       = 100
	maxID          = 64
	maxName        = 200
	maxDescription = 2000
	minSLAMs       = 1_000
	maxSLAMs       = 604_800_000 // 7 days
	maxURL         = 2000
)

// draftNode is a node as far as it could be read.
type draftNode struct {
	Node
	o *shape.Fields // nil if it is none
	// sound says that type and config are right, so that rules which look
	// inside may be asked.
	sound bool
}

// nodes reads the nodes; one without a usable id has an empty ID. It reports
// whether there were more of them than it looked at.
func (p *parser) nodes(o *shape.Fields) (list []draftNode, more bool) {
	if _, there := o.Need("nodes"); !there {
		return nil, false
	}
	all := o.All("nodes", 1, maxNodes)
	for _, v := range all[:min(len(all), maxNodes)] {
		list = append(list, p.node(v))
	}
	return list, len(all) > maxNodes
}

func (p *parser) node(v shape.Part) draftNode {
	o := p.Object(v, "nodeId", "type", "config", "slaMs", "name", "description", "requireNonEmptyOutput")
	if o == nil {
		return draftNode{}
	}
	d := draftNode{o: o}
	d.ID, _ = o.NeedText("nodeId", shape.IDRule(maxID))
	d.Name, _ = o.Text("name", shape.TextRule{Min: 1, Max: maxName})
	d.Description, _ = o.Text("description", shape.TextRule{Max: maxDescription})
	d.SLAMs, _ = o.Integer("slaMs", minSLAMs, maxSLAMs)
	d.RequireNonEmptyOutput, _ = o.Boolean("requireNonEmptyOutput")
	word, typed := o.NeedWord("type", nodeTypes()...)
	d.Type = NodeType(word)
	config := p.config(o)
	if !typed || config == nil {
		return d
	}
	before := p.Faults()
	p.work(&d, *config)
	d.sound = p.Faults() == before
	return d
}

// config returns the node's config, or nil and an issue.
func (p *parser) config(o *shape.Fields) *shape.Part {
	v, there := o.Members["config"]
	switch {
	case !there:
		o.Fault("config", "node-missing-config", "a node needs a config")
	case v.Kind() != '{':
		p.Report(v, "type", "must be an object")
	default:
		return &v
	}
	return nil
}

// works are the types of nodes, each with what reads its config.
var works = []struct {
	of   NodeType
	read func(p *parser, d *draftNode, config shape.Part)
}{
	{HumanNode, func(p *parser, d *draftNode, config shape.Part) { d.Human = p.human(config) }},
	{AgentNode, func(p *parser, d *draftNode, config shape.Part) { d.Agent = p.agent(config) }},
	{WebhookNode, func(p *parser, d *draftNode, config shape.Part) { d.Webhook = p.webhook(config) }},
	{NotificationNode, func(p *parser, d *draftNode, config shape.Part) { d.Notification = p.notification(config) }},
}

// nodeTypes are the words for them.
func nodeTypes() (words []string) {
	for _, w := range works {
		words = append(words, string(w.of))
	}
	return words
}

// work reads the config of the node's type.
func (p *parser) work(d *draftNode, config shape.Part) {
	for _, w := range works {
		if w.of == d.Type {
			w.read(p, d, config)
		}
	}
}
