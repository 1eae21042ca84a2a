package workflow

// ExampleAgent is the documented agent of the table.
const ExampleAgent = `{"agentId":"copy-checker","name":"Copy checker","description":null,"url":"https://agents.example.com/copy",` +
	`"disabled":false,"enabled":true,"createdAt":1767225600000,"updatedAt":1767225600000}`

// ExampleCatalog is a page of agents.
const ExampleCatalog = `{"items":[{"agentId":"accessibility-checker","name":"Accessibility checker","builtIn":true}],"nextCursor":null,"hasMore":false}`

// Examples of versions of agents' behaviours.
const (
	ExampleVersionNumber = `{"status":"success","message":"Agent version made.","data":{"version":2}}`
	ExampleVersions      = `{"status":"success","message":"Agent versions found.","data":{"versions":[` +
		`{"id":"v2","version":2,"createdAt":1767225600000,"instructions":"Look for passive voice.","scope":{"pages":"all"}},` +
		`{"id":"v1","version":1,"createdAt":1767225600000}],"currentVersion":2}}`
)

const exampleRun = `{"id":"exec_01kdvm9w00abcdefghjkmnpqrs","agentId":"copy-checker","agentName":"Copy checker","agentVersion":2,` +
	`"metadata":{"organizationId":"acme","documentId":"spring"},` +
	`"config":{"seedUrl":"https://www.example.com/","crossPageExecute":null,"maxUrlsToProcess":20,"deviceType":"desktop","annotationVisibility":"private"},` +
	`"status":"failed","startedAt":1767225600000,"completedAt":1767225660000,"durationMs":60000,"ranBy":{"userId":"u_ann"},` +
	`"resultsSummary":{"totalFindings":1,"severityCounts":{"high":1}}}`

// Examples of executions of agents.
const (
	ExampleAgentRunAsked = `{"agentId":"copy-checker","url":"https://www.example.com/","organizationId":"acme","documentId":"spring",` +
		`"maxUrlsToProcess":20,"ranBy":{"userId":"u_ann"},"idempotencyKey":"spring-1"}`
	ExampleAgentStarted = `{"status":"success","message":"Agent started.","data":{"executionId":"exec_01kdvm9w00abcdefghjkmnpqrs"}}`
	ExampleAgentRun     = `{"status":"success","message":"Execution found.","data":{"execution":` + exampleRun + `,"results":[{"annotationId":"a1",` +
		`"documentId":"spring","url":"https://www.example.com/","reason":{"title":"Broken link","description":"It leads nowhere.","severity":"high"}}]}}`
	ExampleAgentRuns = `{"status":"success","message":"Executions found.","data":{"executions":[` + exampleRun + `]}}`
	ExampleAnalytics = `{"status":"success","message":"Analytics found.","data":{"analytics":{"executionCounts":{"copy-checker":` +
		`{"executionCount":4,"lastExecutedAt":1767225600000,"passed":3,"failed":1,"error":0,"meanDurationMs":41500.5}}}}}`
)

const exampleGroupHead = `"id":"grp_01kdvm9w00abcdefghjkmnpqrs","name":"Language","description":null,"metadata":{"color":"blue"},"createdAt":1767225600000,"updatedAt":1767225600000`

// Examples of groups of agents.
const (
	ExampleAgentGroup        = `{"status":"success","message":"Agent group found.","data":{"group":{` + exampleGroupHead + `,"agentIds":["copy-checker","spell-check"]}}}`
	ExampleAgentGroups       = `{"status":"success","message":"Agent groups found.","data":{"groups":[{` + exampleGroupHead + `,"agentCount":2}]}}`
	ExampleDeletedAgentGroup = `{"status":"success","message":"Agent group deleted.","data":{"groupId":"grp_01kdvm9w00abcdefghjkmnpqrs"}}`
)
