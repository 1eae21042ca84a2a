package api

// Documented definitions of the table: people sign off, or nothing happens.
const (
	exampleNodes = `[{"nodeId":"sign-off","type":"human","name":"Sign-off","config":{"reviewers":[{"userId":"u_editor","mandatory":true}]}},` +
		`{"nodeId":"declined","type":"agent","config":{"agentId":"__mock__"}}]`
	exampleEdges            = `[{"from":"sign-off","to":"declined","on":"reject"}]`
	exampleDefinitionParts  = `"definitionId":"editorial-sign-off","name":"Editorial sign-off","nodes":` + exampleNodes + `,"edges":` + exampleEdges
	exampleDefinitionData   = `{` + exampleDefinitionParts + `,"tags":["editorial"]}`
	exampleDefinitionUpdate = `{` + exampleDefinitionParts + `,"tags":["editorial"],"ifVersion":1}`
	exampleCompiled         = `{"forwardEdges":[{"from":"sign-off","to":"declined","role":"reject",` +
		`"when":{"op":"eq","args":[{"var":"output.decision"},"reject"]}}],"loops":[]}`
	exampleDefinition = `{` + exampleDefinitionParts + `,"description":null,"version":1,` +
		`"scope":{"level":"apiKey","organizationId":null,"documentId":null},"groups":null,"compiled":` + exampleCompiled +
		`,"triggers":null,"tags":["editorial"],"custom":null,"createdAt":1767225600000,"updatedAt":1767225600000,"status":"active"}`
)
