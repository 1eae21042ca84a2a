package webhook

// The documented results of the operations on webhook endpoints.
const (
	ExampleWebhookSettings = `{"status":"success","message":"Webhook settings found.","data":{"isEnabled":true,"encryptData":false,
"encodeData":false,"publicKey":"","enableDataProtection":false}}`

	exampleEndpointData = `"id":"ep_01kdvm9w00abcdefghjkmnpqrs","url":"https://hooks.example.com/redline","description":"Editorial desk",
"filterTypes":["comment.add"],"channels":["document:spring"],"disabled":false,"rateLimit":null,"uid":"desk-1",
"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"`

	ExampleEndpoint     = `{"status":"success","message":"Endpoint created.","data":{` + exampleEndpointData + `}}`
	ExampleBareEndpoint = `{"status":"success","message":"Endpoint created.","data":{"id":"ep_01kdvm9w00abcdefghjkmnpqrs",
"url":"https://hooks.example.com/all","description":null,"filterTypes":null,"channels":null,"disabled":false,"rateLimit":null,"uid":null,
"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}}`
	ExampleEndpoints = `{"status":"success","message":"Endpoints found.","data":{"endpoints":[{` + exampleEndpointData + `,
"metadata":{"team":"desk"}}],"iterator":null,"prevIterator":null,"done":true}}`

	ExampleEndpointDeleted = `{"status":"success","message":"Endpoint deleted.","data":{"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs","deleted":true}}`

	ExampleEndpointSecret = `{"status":"success","message":"Secret found.","data":{"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs",
"secret":"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}}`

	ExampleSecretRotated = `{"status":"success","message":"Secret rotated.","data":{"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs",
"secret":"whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=","previousSecretsExpireAt":"2026-01-02T00:00:00.000Z"}}`

	ExampleEndpointTest = `{"status":"success","message":"Test message queued.","data":{"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs"}}`

	exampleRecoveryData = `"recoveryId":"rcv_01kdvm9w00abcdefghjkmnpqrs","endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs",
"since":"2026-01-01T00:00:00.000Z","until":"2026-01-02T00:00:00.000Z"`
	ExampleRecovery  = `{"status":"success","message":"Recovery accepted.","data":{` + exampleRecoveryData + `,"status":"running"}}`
	ExampleRecovered = `{"status":"success","message":"Recovery found.","data":{` + exampleRecoveryData + `,"status":"completed",
"examined":1200,"requeued":17}}`

	ExampleMessages = `{"status":"success","message":"Messages found.","data":{"messages":[{"id":"msg_01kdvm9w00abcdefghjkmnpqrs",
"event":"comment.add","channels":["organization:acme","document:spring"],"sequence":1042,"createdAt":"2026-01-01T00:00:00.000Z",
"deliveries":[{"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs","status":"pending","attempts":1,"class":"http-5xx",
"lastAttemptAt":"2026-01-01T00:00:00.000Z","nextAttemptAt":"2026-01-01T00:00:05.000Z"}]}],"iterator":null,"prevIterator":null,"done":true}}`

	ExampleResent = `{"status":"success","message":"Message queued.","data":{"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs",
"endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs","status":"pending"}}`

	ExampleAttempts = `{"status":"success","message":"Attempts found.","data":{"attempts":[{"id":"att_01kdvm9w00abcdefghjkmnpqrs",
"messageId":"msg_01kdvm9w00abcdefghjkmnpqrs","endpointId":"ep_01kdvm9w00abcdefghjkmnpqrs","event":"comment.add","attempt":1,"trigger":"schedule",
"status":"failed","class":"http-5xx","httpStatus":500,"durationMs":12,"startedAt":"2026-01-01T00:00:00.000Z",
"nextAttemptAt":"2026-01-01T00:00:05.000Z","url":"https://hooks.example.com/redline","responseBody":"try later"}],
"iterator":null,"prevIterator":null,"done":true}}`

	ExampleEventTypes = `{"status":"success","message":"Event types found.","data":{"eventTypes":[{"name":"webhook.test",
"description":"the test of an endpoint","group":"webhook","sample":{"event":"webhook.test","actionType":"test","source":"webhook",
"webhookId":"msg_01kdvm9w00abcdefghjkmnpqrs","timestamp":"2026-01-01T00:00:00.000Z","sequence":1042,"data":{"test":true}}}]}}`
)
