package workflow

// ExampleAgent is the documented agent of the table.
const ExampleAgent = `{"agentId":"copy-checker","name":"Copy checker","description":null,"url":"https://agents.example.com/copy",` +
	`"disabled":false,"enabled":true,"createdAt":1767225600000,"updatedAt":1767225600000}`

const exampleGroupHead = `"id":"grp_01kdvm9w00abcdefghjkmnpqrs","name":"Language","description":null,"metadata":{"color":"blue"},"createdAt":1767225600000,"updatedAt":1767225600000`

// Examples of groups of agents.
const (
	ExampleAgentGroup        = `{"status":"success","message":"Agent group found.","data":{"group":{` + exampleGroupHead + `,"agentIds":["copy-checker","spell-check"]}}}`
	ExampleAgentGroups       = `{"status":"success","message":"Agent groups found.","data":{"groups":[{` + exampleGroupHead + `,"agentCount":2}]}}`
	ExampleDeletedAgentGroup = `{"status":"success","message":"Agent group deleted.","data":{"groupId":"grp_01kdvm9w00abcdefghjkmnpqrs"}}`
)
