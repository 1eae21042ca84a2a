package client

import (
	"maps"
	"time"
)

// Definition is what definitions/create takes.
type Definition struct {
	DefinitionID  string         `json:"definitionId"`
	Name          string         `json:"name"`
	Description   string         `json:"description,omitempty"`
	Scope         map[string]any `json:"scope,omitempty"`
	Nodes         []Node         `json:"nodes"`
	Edges         []Edge         `json:"edges"`
	Groups        []Group        `json:"groups,omitempty"`
	WebhookConfig map[string]any `json:"webhookConfig,omitempty"`
	Tags          []string       `json:"tags,omitempty"`
	Custom        any            `json:"custom,omitempty"`
}

// Node is one node of a definition.
type Node struct {
	NodeID                string         `json:"nodeId"`
	Type                  string         `json:"type"`
	Name                  string         `json:"name,omitempty"`
	Config                map[string]any `json:"config"`
	RequireNonEmptyOutput bool           `json:"requireNonEmptyOutput,omitempty"`
	SLAMs                 int64          `json:"slaMs,omitempty"`
}

// Edge is one edge of a definition. An end is a nodeId, or what GroupEnd returns.
type Edge struct {
	From any    `json:"from"`
	To   any    `json:"to"`
	On   string `json:"on,omitempty"`
	When string `json:"when,omitempty"`
	Loop *Loop  `json:"loop,omitempty"`
}

// Loop is how often an edge may go back.
type Loop struct {
	MaxIterations int `json:"maxIterations"`
}

// Group is a set of nodes that are decided together.
type Group struct {
	GroupID         string   `json:"groupId"`
	MemberNodeIDs   []string `json:"memberNodeIds"`
	ExpectedSteps   int      `json:"expectedSteps"`
	Quorum          int      `json:"quorum"`
	OnQuorumMet     string   `json:"onQuorumMet,omitempty"`
	RequiredNodeIDs []string `json:"requiredNodeIds,omitempty"`
}

// GroupEnd returns an end of an edge that is a group.
func GroupEnd(groupID string) any { return map[string]any{"kind": "group", "groupId": groupID} }

// Within returns the node with a deadline.
func (n Node) Within(deadline time.Duration) Node {
	n.SLAMs = deadline.Milliseconds()
	return n
}

// Back returns an edge by which a rejection goes back to an earlier node, so many times.
func Back(from any, to string, times int) Edge {
	return Edge{From: from, To: to, On: "reject", Loop: &Loop{MaxIterations: times}}
}

// On returns an edge of any role but custom.
func On(role string, from, to any) Edge { return Edge{From: from, To: to, On: role} }

// Human returns a node in which every named reviewer is mandatory.
func Human(nodeID string, reviewerIDs ...string) Node {
	return Node{NodeID: nodeID, Type: "human", Config: map[string]any{"reviewerIds": reviewerIDs}}
}

// Panel returns a human node with mandatory and optional reviewers.
func Panel(nodeID string, mandatory, optional []string) Node {
	reviewers := make([]map[string]any, 0, len(mandatory)+len(optional))
	for _, user := range mandatory {
		reviewers = append(reviewers, map[string]any{"userId": user, "mandatory": true})
	}
	for _, user := range optional {
		reviewers = append(reviewers, map[string]any{"userId": user, "mandatory": false})
	}
	return Node{NodeID: nodeID, Type: "human", Config: map[string]any{"reviewers": reviewers}}
}

// Mock returns a node of the agent that approves at once.
func Mock(nodeID string) Node {
	return Node{NodeID: nodeID, Type: "agent", Config: map[string]any{"agentId": "__mock__"}}
}

// Hook returns a synchronous webhook node, unsigned unless its config is set otherwise.
func Hook(nodeID, url string) Node {
	return Node{NodeID: nodeID, Type: "webhook", Config: map[string]any{"url": url, "authMode": "none"}}
}

// With returns the node with one field of its config set.
func (n Node) With(field string, value any) Node {
	config := make(map[string]any, len(n.Config)+1)
	maps.Copy(config, n.Config)
	config[field] = value
	n.Config = config
	return n
}

// Always returns an edge that fires however its source ended.
func Always(from, to string) Edge { return Edge{From: from, To: to} }

// Approve returns an edge that fires on the decision approve.
func Approve(from, to string) Edge { return Edge{From: from, To: to, On: "approve"} }

// Reject returns an edge that fires on the decision reject.
func Reject(from, to string) Edge { return Edge{From: from, To: to, On: "reject"} }

// Both returns the two edges that fire on either decision.
func Both(from, to string) []Edge { return []Edge{Approve(from, to), Reject(from, to)} }

// When returns an edge with a predicate, which is the text that stands in `when`.
func When(from, to, predicate string) Edge {
	return Edge{From: from, To: to, On: "custom", When: predicate}
}

// Agent returns a node of a registered agent.
func Agent(nodeID, agentID string) Node {
	return Node{NodeID: nodeID, Type: "agent", Config: map[string]any{"agentId": agentID}}
}

// Letter returns a notification node that mails to these addresses.
func Letter(nodeID, body string, to ...string) Node {
	return Node{NodeID: nodeID, Type: "notification", Config: map[string]any{"channel": "email", "recipients": to, "bodyTemplate": body}}
}

// Slack returns a notification node that posts to an address of Slack's kind.
func Slack(nodeID, body, url string) Node {
	return Node{NodeID: nodeID, Type: "notification", Config: map[string]any{"channel": "slack", "slackTarget": url, "bodyTemplate": body}}
}
