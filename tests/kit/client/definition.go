package client

import (
	"maps"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
)

// GroupEnd returns an end of an edge that is a group.
func GroupEnd(groupID string) any { return map[string]any{"kind": "group", "groupId": groupID} }

// Within returns a node with a deadline.
func Within(n redline.NodeInput, deadline time.Duration) redline.NodeInput {
	n.SLAMs = new(deadline.Milliseconds())
	return n
}

// Back returns an edge by which a rejection goes back to an earlier node, so many times.
func Back(from any, to string, times int) redline.EdgeInput {
	return redline.EdgeInput{From: from, To: to, On: new(redline.EdgeInputOnReject), Loop: &redline.LoopInput{MaxIterations: int64(times)}}
}

// On returns an edge of any role but custom.
func On(role string, from, to any) redline.EdgeInput {
	return redline.EdgeInput{From: from, To: to, On: new(redline.EdgeInputOn(role))}
}

// Human returns a node in which every named reviewer is mandatory.
func Human(nodeID string, reviewerIDs ...string) redline.NodeInput {
	return redline.NodeInput{NodeID: nodeID, Type: "human", Config: map[string]any{"reviewerIds": reviewerIDs}}
}

// Panel returns a human node with mandatory and optional reviewers.
func Panel(nodeID string, mandatory, optional []string) redline.NodeInput {
	reviewers := make([]map[string]any, 0, len(mandatory)+len(optional))
	for _, user := range mandatory {
		reviewers = append(reviewers, map[string]any{"userId": user, "mandatory": true})
	}
	for _, user := range optional {
		reviewers = append(reviewers, map[string]any{"userId": user, "mandatory": false})
	}
	return redline.NodeInput{NodeID: nodeID, Type: "human", Config: map[string]any{"reviewers": reviewers}}
}

// Mock returns a node of the agent that approves at once.
func Mock(nodeID string) redline.NodeInput {
	return redline.NodeInput{NodeID: nodeID, Type: "agent", Config: map[string]any{"agentId": "__mock__"}}
}

// Hook returns a synchronous webhook node, unsigned unless its config is set otherwise.
func Hook(nodeID, url string) redline.NodeInput {
	return redline.NodeInput{NodeID: nodeID, Type: "webhook", Config: map[string]any{"url": url, "authMode": "none"}}
}

// With returns a node with one field of its config set.
func With(n redline.NodeInput, field string, value any) redline.NodeInput {
	config := map[string]any{}
	maps.Copy(config, ConfigOf(n))
	config[field] = value
	n.Config = config
	return n
}

// ConfigOf returns the config of a node that was made here.
func ConfigOf(n redline.NodeInput) map[string]any {
	config, _ := n.Config.(map[string]any)
	return config
}

// Always returns an edge that fires however its source ended.
func Always(from, to string) redline.EdgeInput { return redline.EdgeInput{From: from, To: to} }

// Approve returns an edge that fires on the decision approve.
func Approve(from, to string) redline.EdgeInput {
	return redline.EdgeInput{From: from, To: to, On: new(redline.EdgeInputOnApprove)}
}

// Reject returns an edge that fires on the decision reject.
func Reject(from, to string) redline.EdgeInput {
	return redline.EdgeInput{From: from, To: to, On: new(redline.EdgeInputOnReject)}
}

// Both returns the two edges that fire on either decision.
func Both(from, to string) []redline.EdgeInput {
	return []redline.EdgeInput{Approve(from, to), Reject(from, to)}
}

// When returns an edge with a predicate, which is the text that stands in `when`.
func When(from, to, predicate string) redline.EdgeInput {
	return redline.EdgeInput{From: from, To: to, On: new(redline.EdgeInputOnCustom), When: new(predicate)}
}

// Agent returns a node of a registered agent.
func Agent(nodeID, agentID string) redline.NodeInput {
	return redline.NodeInput{NodeID: nodeID, Type: "agent", Config: map[string]any{"agentId": agentID}}
}

// Letter returns a notification node that mails to these addresses.
func Letter(nodeID, body string, to ...string) redline.NodeInput {
	return redline.NodeInput{NodeID: nodeID, Type: "notification", Config: map[string]any{"channel": "email", "recipients": to, "bodyTemplate": body}}
}

// Slack returns a notification node that posts to an address of Slack's kind.
func Slack(nodeID, body, url string) redline.NodeInput {
	return redline.NodeInput{NodeID: nodeID, Type: "notification", Config: map[string]any{"channel": "slack", "slackTarget": url, "bodyTemplate": body}}
}
