package api

import (
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/workflow"
	"github.com/redline-svc/redline/internal/shape"
)

// definitionRoutes are the operations on definitions.
func definitionRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workflow/definitions/create", h.Definitions.Create, rpc.Strict(), rpc.Documents[workflow.DefinitionData](), rpc.Summary("Store a definition as version 1"),
			rpc.Example(workflow.ExampleDefinitionData, workflow.ExampleDefinition)),
		rpc.Post("/v2/workflow/definitions/update", h.Definitions.Update, rpc.Strict(), rpc.Documents[workflow.DefinitionUpdate](), rpc.Once(), rpc.Summary("Store the next version of a definition"),
			rpc.Example(workflow.ExampleDefinitionUpdate, workflow.ExampleDefinition)),
		rpc.Post("/v2/workflow/definitions/get", h.Definitions.Get, rpc.Strict(), rpc.Summary("Read the current version of a definition"),
			rpc.Example(`{"definitionId":"editorial-sign-off"}`, workflow.ExampleDefinition)),
		rpc.Post("/v2/workflow/definitions/list", h.Definitions.List, page, rpc.Strict(), rpc.Summary("List the active definitions, latest change first"),
			rpc.Example(`{"tag":"editorial","pageSize":20}`, `{"items":[`+workflow.ExampleDefinition+`],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/workflow/definitions/delete", h.Definitions.Delete, rpc.PastQuota(), rpc.Strict(), rpc.Summary("Delete a definition, or purge it"),
			rpc.Example(`{"definitionId":"editorial-sign-off"}`, `{"deleted":true,"purged":false,"definitionId":"editorial-sign-off"}`)),
		rpc.Post("/v2/workflow/definitions/lint", h.Definitions.Lint, rpc.Strict(), rpc.Documents[workflow.DefinitionData](), rpc.Summary("Judge a definition without storing it"),
			rpc.Example(workflow.ExampleDefinitionData, `{"valid":true,"issues":[],"warnings":[],"compiled":`+workflow.ExampleCompiled+`}`)),
		rpc.Post("/v2/workflow/definitions/versions/list", h.Definitions.Versions, page, rpc.Strict(), rpc.Summary("List the versions of a definition, latest first"),
			rpc.Example(`{"definitionId":"editorial-sign-off"}`,
				`{"items":[{"version":1,"name":"Editorial sign-off","createdAt":1767225600000,"nodeCount":2,"edgeCount":1}],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/workflow/definitions/versions/get", h.Definitions.Version, rpc.Strict(), rpc.Summary("Read one version of a definition"),
			rpc.Example(`{"definitionId":"editorial-sign-off","version":1}`, workflow.ExampleDefinition)),
	}
}

// executionRoutes are the operations on executions, and the requests that start them.
func executionRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workflow/executions/dispatch", h.Executions.Dispatch, rpc.Strict(), rpc.Check(h.Executions.Check), rpc.Once("idempotencyKey"), rpc.Summary("Start an execution"),
			rpc.Example(`{"definitionId":"editorial-sign-off","idempotencyKey":"article-7","triggerContext":{"title":"Spring"}}`,
				`{"executionId":"exec_1767225600000_a1b2c3d4","correlationId":"corr_01kdvm9w00abcdefghjkmnpqrs","deduplicated":false}`)),
		rpc.Post("/v2/workflow/executions/list", h.Executions.List, page, rpc.Strict(), rpc.Summary("List executions, newest first"),
			rpc.Example(`{"definitionId":"editorial-sign-off","status":"completed","pageSize":20}`,
				`{"items":[],"nextCursor":"","hasMore":false}`)),
		rpc.Post("/v2/workflow/executions/get", h.Executions.Get, page, rpc.Strict(), rpc.Summary("Read an execution with its steps"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4"}`, workflow.ExampleExecution)),
		rpc.Post("/v2/workflow/executions/cancel", h.Executions.Cancel, rpc.PastQuota(), rpc.Strict(), rpc.Summary("End an execution"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","reason":"withdrawn","actorId":"u_editor"}`,
				`{"cancelled":true,"executionId":"exec_1767225600000_a1b2c3d4"}`)),
		rpc.Post("/v2/workflow/executions/retry", h.Executions.Retry, page, rpc.PastQuota(), rpc.Strict(), rpc.Once(), rpc.Summary("Try a failed execution again"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","actorId":"u_editor","reason":"the publisher is back"}`, workflow.ExampleExecution)),
		rpc.Post("/v2/workflow/executions/pause", h.Executions.Pause, rpc.PastQuota(), rpc.Strict(), rpc.Summary("Keep an execution from going on"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","actorId":"u_editor","reason":"holidays"}`,
				`{"executionId":"exec_1767225600000_a1b2c3d4","paused":true,"pausedAt":1767225700000}`)),
		rpc.Post("/v2/workflow/executions/resume", h.Executions.Resume, rpc.PastQuota(), rpc.Strict(), rpc.Summary("Let a paused execution go on"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","actorId":"u_editor"}`,
				`{"executionId":"exec_1767225600000_a1b2c3d4","paused":false,"pausedAt":null}`)),
		rpc.Post("/v2/workflow/executions/delete", h.Executions.Delete, rpc.PastQuota(), rpc.Strict(), rpc.Summary("Delete executions that have ended"),
			rpc.Example(`{"executionIds":["exec_1767225600000_a1b2c3d4"]}`,
				`{"results":{"exec_1767225600000_a1b2c3d4":{"success":true,"message":"Execution deleted."}}}`)),
		rpc.Post("/v2/workflow/executions/getEvents", h.Executions.Events, page, rpc.Strict(), rpc.Summary("Read the events of an execution"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","sinceSeq":0}`, workflow.ExampleEvents)),
		rpc.Post("/v2/workflow/executions/getDeliveries", h.Deliveries.List, page, rpc.Strict(), rpc.Summary("List what an execution's receiver was sent, newest first"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","status":"pending"}`, workflow.ExampleDeliveries)),
		rpc.Post("/v2/workflow/executions/redeliver", h.Deliveries.Redeliver, rpc.PastQuota(), rpc.Strict(), rpc.Check(h.Deliveries.Check), rpc.Once(), rpc.Summary("Send events again"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","eventIds":["evt_01kdvm9w00abcdefghjkmnpqrs"]}`,
				`{"scheduled":1,"executionId":"exec_1767225600000_a1b2c3d4"}`)),
		rpc.Raw("/v2/workflow/webhook-inbound/trigger", h.Inbound.Trigger, rpc.Summary("Start an execution from outside"),
			rpc.Carries[shape.Object]("apiKey", "apiKey", "definitionId", "triggerId"), rpc.Answers[workflow.InboundAccepted](),
			rpc.Example(`{"definitionId":"editorial","triggerId":"cms","type":"article.ready","payload":{"articleId":"spring"}}`,
				`{"ok":true,"code":"accepted","executionId":"exec_1767225600000_a1b2c3d4","deduplicated":false}`)),
		rpc.Raw("/v2/workflow/webhook-callback/complete", h.Callbacks.Complete, rpc.PastQuota(), rpc.Summary("Say what became of an asynchronous webhook step"),
			rpc.Carries[workflow.Completion]("callbackToken"), rpc.Answers[workflow.CallbackAnswer](),
			rpc.Example(`{"status":"completed","output":{"url":"https://www.example.com/spring"}}`, `{"ok":true,"code":"accepted"}`),
			rpc.Example(`{"status":"failed","error":{"code":"cms-away","message":"the site answers nothing"}}`, `{"ok":true,"code":"accepted"}`)),
	}
}

// stepRoutes are the operations on steps.
func stepRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/workflow/steps/list", h.Steps.List, page, rpc.Strict(), rpc.Summary("List steps: the inbox of a person"),
			rpc.Example(`{"reviewerId":"u_editor"}`, `{"items":[],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/workflow/steps/recordReviewerDecision", h.Steps.Decide, rpc.PastQuota(), rpc.Strict(), rpc.Summary("Record what a reviewer decided"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","reviewerId":"u_editor","decision":"approve"}`,
				`{"recorded":true,"aggregatorStatus":"resolved","resumeScheduled":true}`)),
		rpc.Post("/v2/workflow/steps/cancel", h.Steps.Cancel, rpc.PastQuota(), rpc.Strict(), rpc.Summary("End a step without going on from it"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","actorId":"u_chief","reason":"withdrawn"}`,
				`{"cancelled":true,"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab"}`)),
		rpc.Post("/v2/workflow/steps/resolve", h.Steps.Resolve, rpc.PastQuota(), rpc.Strict(), rpc.Summary("End a step by hand"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","action":"force-approve","actorId":"u_chief","reason":"on leave"}`,
				`{"resolved":true,"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","action":"force-approve"}`)),
		rpc.Post("/v2/workflow/steps/reassign", h.Steps.Reassign, rpc.PastQuota(), rpc.Strict(), rpc.Summary("Put a person in the place of a reviewer"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","fromReviewerId":"u_editor","toReviewerId":"u_chief","actorId":"u_editor"}`,
				`{"reassigned":true,"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_sign-off_i1_a1_0123456789ab","reviewers":[{"userId":"u_chief","mandatory":true}]}`)),
		rpc.Post("/v2/workflow/steps/recordAgentResolution", h.Steps.RecordResolution, rpc.PastQuota(), rpc.Strict(), rpc.TakesToken(), rpc.Summary("Record what became of an agent's step"),
			rpc.Example(`{"executionId":"exec_1767225600000_a1b2c3d4","stepId":"step_ai-check_i1_a1_0123456789ab","responseId":"r1","resolution":"resolved","output":{"score":0.9}}`,
				`{"recorded":true,"aggregatorStatus":"resolved","resumeScheduled":true}`)),
	}
}

// agentRoutes are the operations on the registry of agents.
func agentRoutes(h Handlers) []rpc.Route {
	const one = `{"agentId":"copy-checker"}`
	return []rpc.Route{
		rpc.Post("/v2/agents/create", h.Agents.Create, rpc.Check(h.Agents.CheckCreate), rpc.Summary("Register an agent"),
			rpc.Example(`{"agentId":"copy-checker","name":"Copy checker","url":"https://agents.example.com/copy","secret":"a secret of the agent"}`,
				workflow.ExampleAgent)),
		rpc.Post("/v2/agents/get", h.Agents.Get, page, rpc.Lists(), rpc.Summary("Read an agent, or list registered and built-in ones"),
			rpc.Example(one, workflow.ExampleAgent), rpc.Example(`{"filter":"defaultOnly","pageSize":1}`, workflow.ExampleCatalog)),
		rpc.Post("/v2/agents/list", h.Agents.List, page, rpc.Lists(), rpc.Summary("List the agents, newest first"),
			rpc.Example(`{"disabled":false,"pageSize":20}`, `{"items":[`+workflow.ExampleAgent+`],"nextCursor":null,"hasMore":false}`)),
		rpc.Post("/v2/agents/update", h.Agents.Update, rpc.Check(h.Agents.CheckUpdate), rpc.Summary("Change an agent"),
			rpc.Example(`{"agentId":"copy-checker","description":null,"disabled":false}`, workflow.ExampleAgent)),
		rpc.Post("/v2/agents/delete", h.Agents.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Remove an agent from the registry"),
			rpc.Example(one, `{"deleted":true,"agentId":"copy-checker"}`)),
	}
}

// agentVersionRoutes are the operations on versions of agents' behaviours.
func agentVersionRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/agents/version/update", h.AgentLines.Update, rpc.Once(), rpc.Summary("Change the behaviour of an agent, which makes a version"),
			rpc.Example(`{"agentId":"copy-checker","instructions":"Look for passive voice.","scope":{"pages":"all"},"setup":null}`, workflow.ExampleVersionNumber)),
		rpc.Post("/v2/agents/versions/list", h.AgentLines.List, page, rpc.Summary("List the versions of an agent's behaviour, newest first"),
			rpc.Example(`{"agentId":"copy-checker"}`, workflow.ExampleVersions)),
		rpc.Post("/v2/agents/versions/restore", h.AgentLines.Restore, rpc.Once("version"), rpc.Summary("Go back to a version of an agent's behaviour"),
			rpc.Example(`{"agentId":"copy-checker","version":2}`, workflow.ExampleVersionNumber)),
	}
}

// agentRunRoutes are the operations on executions of one agent that runs alone.
func agentRunRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/agents/execution/run", h.AgentRuns.Run, rpc.Once("idempotencyKey"), rpc.Summary("Let an agent look at a page"),
			rpc.Example(workflow.ExampleAgentRunAsked, workflow.ExampleAgentStarted)),
		rpc.Post("/v2/agents/execution/get", h.AgentRuns.Get, page, rpc.Summary("Read an execution of an agent, with what it found"),
			rpc.Example(`{"executionId":"exec_01kdvm9w00abcdefghjkmnpqrs","includeResults":true}`, workflow.ExampleAgentRun)),
		rpc.Post("/v2/agents/execution/list", h.AgentRuns.List, page, rpc.Lists(), rpc.Summary("List executions of agents, newest first"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring"}`, workflow.ExampleAgentRuns)),
		rpc.Post("/v2/agents/execution/count", h.AgentRuns.Count, rpc.Lists(), rpc.Summary("Count executions of agents"),
			rpc.Example(`{"agentIds":["copy-checker"],"status":"passed"}`, `{"status":"success","message":"Executions counted.","data":{"counts":{"copy-checker":3}}}`),
			rpc.Example(`{}`, `{"status":"success","message":"Executions counted.","data":{"total":12}}`)),
		rpc.Post("/v2/agents/analytics/get", h.AgentRuns.Analytics, page, rpc.Lists(), rpc.Summary("Count what became of the steps of agents"),
			rpc.Example(`{"year":"2026","month":"01"}`, workflow.ExampleAnalytics)),
	}
}

// agentGroupRoutes are the operations on groups of agents.
func agentGroupRoutes(h Handlers) []rpc.Route {
	const one, members = `{"groupId":"grp_01kdvm9w00abcdefghjkmnpqrs"}`, `{"groupId":"grp_01kdvm9w00abcdefghjkmnpqrs","agentIds":["spell-check"]}`
	return []rpc.Route{
		rpc.Post("/v2/agents/groups/create", h.AgentGroups.Create, rpc.Once(), rpc.Summary("Make a group of agents"),
			rpc.Example(`{"name":"Language","agentIds":["copy-checker","spell-check"],"metadata":{"color":"blue"}}`, workflow.ExampleAgentGroup)),
		rpc.Post("/v2/agents/groups/get", h.AgentGroups.Get, rpc.Summary("Read a group of agents"), rpc.Example(one, workflow.ExampleAgentGroup)),
		rpc.Post("/v2/agents/groups/list", h.AgentGroups.List, rpc.Summary("List the groups of agents, newest first"), rpc.Example(`{}`, workflow.ExampleAgentGroups)),
		rpc.Post("/v2/agents/groups/update", h.AgentGroups.Update, rpc.Summary("Change the name or the description of a group of agents"),
			rpc.Example(`{"groupId":"grp_01kdvm9w00abcdefghjkmnpqrs","description":null}`, workflow.ExampleAgentGroup)),
		rpc.Post("/v2/agents/groups/add-agents", h.AgentGroups.Add, rpc.Summary("Put agents into a group"), rpc.Example(members, workflow.ExampleAgentGroup)),
		rpc.Post("/v2/agents/groups/remove-agents", h.AgentGroups.Remove, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Take agents out of a group"),
			rpc.Example(members, workflow.ExampleAgentGroup)),
		rpc.Post("/v2/agents/groups/delete", h.AgentGroups.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete a group, not its agents"),
			rpc.Example(one, workflow.ExampleDeletedAgentGroup)),
	}
}
