package workflow

// Longer documented results of the table.
const (
	ExampleExecution = `{"executionId":"exec_1767225600000_a1b2c3d4","status":"running","startedAt":1767225600000,"completedAt":null,
"cancelledAt":null,"definitionId":"editorial-sign-off","definitionVersion":1,"correlationId":"corr_01kdvm9w00abcdefghjkmnpqrs",
"idempotencyKey":"article-7","failureReason":null,"organizationId":null,"documentId":null,"folderId":null,"attempt":1,"pausedAt":null,
"stepCount":1,"steps":[{"stepId":"step_sign-off_i1_a1_0123456789ab","nodeId":"sign-off","nodeType":"human","status":"waiting",
"groupId":null,"startedAt":1767225600010,"completedAt":null,"dueAt":null,"output":{"aggregatorStatus":"pending"},"error":null,
"metadata":{"organizationId":null,"documentId":null,"folderId":null,"nodeName":"Sign-off","iteration":1,"loopId":null,"attempt":1,
"reviewers":[{"userId":"u_editor","mandatory":true}]}}],"triggerContext":{"title":"Spring"}}`
	ExampleEvents = `{"executionId":"exec_1767225600000_a1b2c3d4","events":[{"eventId":"evt_01kdvm9w00abcdefghjkmnpqrs","seq":1,
"type":"execution.dispatched","stepId":null,"timestamp":1767225600000,"correlationId":"corr_01kdvm9w00abcdefghjkmnpqrs",
"data":{"definitionId":"editorial-sign-off","definitionVersion":1,"rootStepIds":["step_sign-off_i1_a1_0123456789ab"]}}],
"nextCursor":1,"hasMore":false}`
	ExampleDeliveries = `{"items":[{"eventId":"evt_01kdvm9w00abcdefghjkmnpqrs","seq":4,"event":"step.awaiting-approval","status":"pending",
"attempts":[{"attempt":0,"at":1767225600120,"httpStatus":503,"error":"throttled","durationMs":41}],"nextAttemptAt":1767225602161}],
"nextCursor":null,"hasMore":false}`
)
