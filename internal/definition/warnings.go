package definition

import (
	"fmt"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
)

// warnings finds what is allowed and probably not meant.
func (d *draft) warnings(rules Options) []fault.Issue {
	var list []fault.Issue
	warn := func(path []string, code, message string) {
		list = append(list, fault.Issue{Code: code, Path: path, Message: message})
	}
	for i := range d.nodes {
		a := d.nodes[i].Agent
		if a != nil && a.AgentID != MockAgent && rules.KnownAgent != nil && !rules.KnownAgent(a.AgentID) {
			warn(append(d.nodes[i].o.Child("config"), "agentId"), "agent-unknown", fmt.Sprintf("there is no agent %q now", a.AgentID))
		}
	}
	for i := range d.edges {
		e := &d.edges[i]
		decides := e.on == Approve || e.on == Reject
		if decides && !e.from.isGroup && d.nodes[e.sources[0]].Type == NotificationNode {
			warn(e.o.Child("on"), "edge-never-fires", "a notification has no decision")
		}
		if e.loop != nil && d.optionalRejectorUnrouted(e) {
			warn(e.o.Child("loop"), "loop-optional-rejector-unrouted",
				"a rejection by a reviewer who is not mandatory does not go back, and no other edge on reject takes it")
		}
	}
	return list
}

// optionalRejectorUnrouted: only rejections by mandatory reviewers go back. Those of a
// group are taken by edges of its members.
func (d *draft) optionalRejectorUnrouted(loop *draftEdge) bool {
	forwardReject := func(e *draftEdge) bool { return e.on == Reject && e.loop == nil }
	routed := func(i int) bool { return slices.ContainsFunc(d.own(d.nodes[i].ID), forwardReject) }
	if slices.ContainsFunc(loop.sources, routed) {
		return false
	}
	optional := func(r Reviewer) bool { return !r.Mandatory }
	return slices.ContainsFunc(loop.sources, func(i int) bool {
		h := d.nodes[i].Human
		return h != nil && slices.ContainsFunc(h.Reviewers, optional)
	})
}
