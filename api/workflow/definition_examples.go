package workflow

// Documented definitions of the table: people sign off, or nothing happens.
const (
	exampleNodes = `[{"nodeId":"sign-off","type":"human","name":"Sign-off","config":{"reviewers":[{"userId":"u_editor","mandatory":true}]}},` +
		`{"nodeId":"declined","type":"agent","config":{"agentId":"__mock__"}}]`
	exampleEdges            = `[{"from":"sign-off","to":"declined","on":"reject"}]`
	exampleDefinitionParts  = `"definitionId":"editorial-sign-off","name":"Editorial sign-off","nodes":` + exampleNodes + `,"edges":` + exampleEdges
	ExampleDefinitionData   = `{` + exampleDefinitionParts + `,"tags":["editorial"]}`
	ExampleDefinitionUpdate = `{` + exampleDefinitionParts + `,"tags":["editorial"],"ifVersion":1}`
	ExampleCompiled         = `{"forwardEdges":[{"from":"sign-off","to":"declined","role":"reject",` +
		`"when":{"op":"eq","args":[{"var":"output.decision"},"reject"]}}],"loops":[]}`
	ExampleDefinition = `{` + exampleDefinitionParts + `,"description":null,"version":1,` +
		`"scope":{"level":"apiKey","organizationId":null,"documentId":null},"groups":null,"compiled":` + ExampleCompiled +
		`,"triggers":null,"tags":["editorial"],"custom":null,"createdAt":1767225600000,"updatedAt":1767225600000,"status":"active"}`
)
