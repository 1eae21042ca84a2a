package definition

// This file is the gate: what the language has and this release does not run
// yet. Such a definition is refused when it is written; nothing is accepted and
// then ignored. A feature that arrives takes its lines out of here, and nothing
// else in the package changes.

// notSupported is the code of every issue of the gate.
const notSupported = "not-supported"

// refuseUnsupported reports every use of a feature that is not there yet.
func (p *parser) refuseUnsupported(d *draft) {
	for i := range d.nodes {
		p.refuseNode(&d.nodes[i])
	}
}

func (p *parser) refuseNode(n *draftNode) {
	switch {
	case n.Type == NotificationNode:
		n.o.fault("type", notSupported, "notification nodes are not available yet")
	case n.Webhook != nil && n.Webhook.Mode == "async":
		n.configFault("mode", "webhook nodes of mode async are not available yet")
	}
}

// configFault reports a setting of the node's config.
func (n *draftNode) configFault(key, message string) {
	config := n.o.given("config")
	n.o.p.report(value{at: config.at, path: config.child(key)}, notSupported, message)
}
