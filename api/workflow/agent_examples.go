package workflow

// ExampleAgent is the documented agent of the table.
const ExampleAgent = `{"agentId":"copy-checker","name":"Copy checker","description":null,"url":"https://agents.example.com/copy",` +
	`"disabled":false,"enabled":true,"createdAt":1767225600000,"updatedAt":1767225600000}`
