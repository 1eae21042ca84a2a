package definition

import (
	"fmt"
	"strings"

	"github.com/redline-svc/redline/internal/fault"
)

// shapeCase is a text and the issues that it has, as "code at a.b.c".
type shapeCase struct {
	text string
	want []string
}

// c and n begin the paths into the first node.
const (
	c = "nodes.0.config."
	n = "nodes.0."
)

// shapes are all cases, one list for each kind of thing.
var shapes = [][]shapeCase{
	definitionShapes,
	scopeShapes,
	receiverShapes,
	nodeShapes,
	humanShapes,
	agentShapes,
	webhookShapes,
	notificationShapes,
	edgeShapes,
	groupShapes,
	triggerShapes,
}

var definitionShapes = []shapeCase{
	{`[]`, []string{"type at "}},
	{`{}`, []string{"required at definitionId", "required at name", "required at nodes", "required at edges"}},
	{with(`,"x":1,"y":null`), []string{"unknown-key at x", "unknown-key at y"}},
	{with(`,"version":1,"compiled":{}`), []string{"unknown-key at version", "unknown-key at compiled"}},
	{with(`,"ifVersion":1`), []string{"unknown-key at ifVersion"}},
	{with(`,"name":"m"`), []string{"duplicate at name"}},
	{with(`,"description":null,"scope":null,"organizationId":null,"documentId":null,"groups":null,"triggers":null,"webhookConfig":null,"tags":null,"custom":null`), nil},
	{strings.Replace(with(""), `"abc"`, `"Abc"`, 1), []string{"pattern at definitionId"}},
	{strings.Replace(with(""), `"abc"`, `"ab"`, 1), []string{"pattern at definitionId"}},
	{strings.Replace(with(""), `"abc"`, `7`, 1), []string{"type at definitionId"}},
	{strings.Replace(with(""), `"n"`, `""`, 1), []string{"length at name"}},
	{strings.Replace(with(""), `"n"`, `"`+strings.Repeat("ü", 200)+`"`, 1), nil},
	{strings.Replace(with(""), `"n"`, `"`+strings.Repeat("ü", 201)+`"`, 1), []string{"length at name"}},
	{strings.Replace(with(""), `"n"`, `"a\u0000b"`, 1), []string{"pattern at name"}},
	{with(`,"description":"` + strings.Repeat("x", 2001) + `"`), []string{"length at description"}},
	{with(`,"tags":["",1,"` + strings.Repeat("x", 65) + `"]`), []string{"length at tags.0", "type at tags.1", "length at tags.2"}},
	{with(`,"tags":[` + times(21, `"t"`) + `]`), []string{"count at tags"}},
	{with(`,"tags":{}`), []string{"type at tags"}},
	{with(`,"custom":[]`), []string{"type at custom"}},
	{with(`,"custom":{"a":"` + strings.Repeat("x", 64<<10) + `"}`), []string{"length at custom"}},
	{with(`,"custom":{  ` + strings.Repeat(" ", 64<<10) + `}`), nil},
	{with(`,"custom":{"a":1,"a":2}`), []string{"duplicate at custom.a"}},
}

var scopeShapes = []shapeCase{
	{with(`,"scope":{}`), []string{"required at scope.level"}},
	{with(`,"scope":{"level":"apiKey","organizationId":null,"documentId":null}`), nil},
	{with(`,"scope":{"level":"user","x":1}`), []string{"enum at scope.level", "unknown-key at scope.x"}},
	{with(`,"scope":{"level":"organization"}`), []string{"required at scope.organizationId"}},
	{with(`,"scope":{"level":"organization"},"organizationId":"o"`), nil},
	{with(`,"scope":{"level":"organization","organizationId":"o"},"organizationId":"o"`), nil},
	{with(`,"scope":{"level":"organization","organizationId":"o"},"organizationId":"p"`), []string{"conflict at organizationId"}},
	{with(`,"scope":{"level":"document"}`), []string{"required at scope.organizationId", "required at scope.documentId"}},
	{with(`,"scope":{"level":"document","organizationId":"o"},"documentId":"d"`), nil},
	{with(`,"scope":{"level":"organization","organizationId":"o","documentId":"d"}`), []string{"conflict at scope.documentId"}},
	{with(`,"organizationId":"o"`), []string{"conflict at organizationId"}},
	{with(`,"scope":{"level":"organization","organizationId":"a\nb"}`), []string{"pattern at scope.organizationId"}},
}

var receiverShapes = []shapeCase{
	{with(`,"webhookConfig":{"url":"https://x.example.com","secret":"0123456789abcdef"}`), nil},
	{with(`,"webhookConfig":{}`), []string{"required at webhookConfig.url", "required at webhookConfig.secret"}},
	{with(`,"webhookConfig":{"url":"http://x.example.com","secret":"short","eventTypes":[]}`), []string{
		"address-refused at webhookConfig.url", "length at webhookConfig.secret", "count at webhookConfig.eventTypes",
	}},
	{with(`,"webhookConfig":{"url":"https://refused.example.com","secret":"0123456789abcdef","eventTypes":["` + strings.Repeat("x", 129) + `"]}`), []string{
		"address-refused at webhookConfig.url", "length at webhookConfig.eventTypes.0",
	}},
}

var nodeShapes = []shapeCase{
	{graph(nil, nil, nil), []string{"count at nodes"}},
	{strings.Replace(with(""), `"nodes":[`, `"nodes":[1,`, 1), []string{"type at nodes.0"}},
	{manyNodes(101), []string{"count at nodes"}},
	{manyNodes(100), nil},
	{node("robot", `{}`), []string{"enum at " + n + "type"}},
	{graph([]string{`{}`}, nil, nil), []string{"required at nodes.0.nodeId", "required at nodes.0.type", "node-missing-config at nodes.0.config"}},
	{graph([]string{`{"nodeId":"` + strings.Repeat("x", 65) + `","type":"agent","config":null}`}, nil, nil), []string{
		"length at nodes.0.nodeId", "node-missing-config at nodes.0.config",
	}},
	{graph([]string{`{"nodeId":"a\tb","type":"agent","config":[]}`}, nil, nil), []string{"pattern at nodes.0.nodeId", "type at nodes.0.config"}},
	{node("agent", `{"agentId":"__mock__"}`, `"slaMs":999`, `"name":""`, `"requireNonEmptyOutput":1`, `"extra":1`), []string{
		"range at nodes.0.slaMs", "length at nodes.0.name", "type at nodes.0.requireNonEmptyOutput", "unknown-key at nodes.0.extra",
	}},
	{node("agent", `{"agentId":"__mock__"}`, `"slaMs":604800001`), []string{"range at nodes.0.slaMs"}},
	{node("agent", `{"agentId":"__mock__"}`, `"slaMs":1000.5`), []string{"type at nodes.0.slaMs"}},
	{node("agent", `{"agentId":"__mock__"}`, `"slaMs":1e999999999`), []string{"type at nodes.0.slaMs"}},
	{node("agent", `{"agentId":"__mock__"}`, `"slaMs":"1000"`), []string{"type at nodes.0.slaMs"}},
}

var humanShapes = []shapeCase{
	{node("human", `{"reviewers":[{"userId":"u","mandatory":true},{"userId":"v","mandatory":false}],"reviewerEmails":["a@b.c"],"commentBody":"x"}`), nil},
	{node("human", `{"reviewerIds":["u","v"]}`), nil},
	{node("human", `{}`), []string{"required at " + c + "reviewers"}},
	{node("human", `{"reviewerIds":["u"],"reviewers":[{"userId":"u","mandatory":true}]}`), []string{"conflict at " + c + "reviewerIds"}},
	{node("human", `{"reviewerIds":["u","u"],"x":1}`), []string{"duplicate at " + c + "reviewerIds.1", "unknown-key at " + c + "x"}},
	{node("human", `{"reviewerIds":[]}`), []string{"count at " + c + "reviewerIds"}},
	{node("human", `{"reviewers":[{"userId":"u","mandatory":false}]}`), []string{"conflict at " + c + "reviewers"}},
	{node("human", `{"reviewers":[{"userId":"u"},{"mandatory":true},7,{"userId":"u","mandatory":"yes","role":1}]}`), []string{
		"required at " + c + "reviewers.0.mandatory", "required at " + c + "reviewers.1.userId", "type at " + c + "reviewers.2",
		"type at " + c + "reviewers.3.mandatory", "unknown-key at " + c + "reviewers.3.role",
	}},
	{node("human", `{"reviewers":[`+times(51, `{"userId":"u","mandatory":true}`)+`]}`), append(repeated(49, func(i int) string {
		return fmt.Sprintf("duplicate at %sreviewers.%d.userId", c, i+1)
	}), "count at "+c+"reviewers")},
	{node("human", `{"reviewerIds":["u"],"commentBody":"`+strings.Repeat("x", 8001)+`"}`), []string{"length at " + c + "commentBody"}},
}

var agentShapes = []shapeCase{
	{node("agent", `{"agentId":"checker","url":"https://x","urlPath":"a.b","userContextMapping":{"a":"b.c"},"inputMapping":{"a":"input.x","b":"execution.input.y"},
		"promptOverride":"p","crossPageExecute":true,"maxUrlsToProcess":5,"pollIntervalMs":5000,"agentMaxRuntimeMs":10000,"blocking":true,"resolutionPolicy":{"kind":"minResolved","minCount":2}}`), nil},
	{node("agent", `{}`), []string{"required at " + c + "agentId"}},
	{node("agent", `{"agentId":"__other__"}`), []string{"pattern at " + c + "agentId"}},
	{node("agent", `{"agentId":"a","inputMapping":{"a":"output.x","b":"input."},"userContextMapping":{"c":"x..y","d":5,"e":null}}`), []string{
		"pattern at " + c + "inputMapping.a", "pattern at " + c + "inputMapping.b", "pattern at " + c + "userContextMapping.c",
		"type at " + c + "userContextMapping.d", "type at " + c + "userContextMapping.e",
	}},
	{node("agent", `{"agentId":"a","maxUrlsToProcess":501,"pollIntervalMs":4999,"agentMaxRuntimeMs":9999}`), []string{
		"range at " + c + "maxUrlsToProcess", "range at " + c + "pollIntervalMs", "range at " + c + "agentMaxRuntimeMs",
	}},
	{node("agent", `{"agentId":"a","blocking":true}`), []string{"required at " + c + "resolutionPolicy"}},
	{node("agent", `{"agentId":"a","resolutionPolicy":{"kind":"allResolved"}}`), []string{"conflict at " + c + "resolutionPolicy"}},
	{node("agent", `{"agentId":"a","blocking":true,"resolutionPolicy":{"kind":"minResolved"}}`), []string{"required at " + c + "resolutionPolicy.minCount"}},
	{node("agent", `{"agentId":"a","blocking":true,"resolutionPolicy":{"kind":"allResolved","minCount":1}}`), []string{"conflict at " + c + "resolutionPolicy.minCount"}},
}

var webhookShapes = []shapeCase{
	{hook(``), nil},
	{hook(`,"mode":"async","timeoutMs":1000,"expectedStatusCodes":[200,599],"requestHeaders":{"x-a":"b"},"authMode":"token","authTokenHeader":"Authorization"`), nil},
	{node("webhook", `{}`), []string{"required at " + c + "url"}},
	{node("webhook", `{"url":"https://refused.example.com"}`), []string{"address-refused at " + c + "url"}},
	{node("webhook", `{"url":"ftp://x.example.com"}`), []string{"address-refused at " + c + "url"}},
	{node("webhook", `{"url":"https://x.example.com/`+strings.Repeat("x", 2000)+`"}`), []string{"length at " + c + "url"}},
	{hook(`,"method":"GET","bodyTemplate":"none"`), nil},
	{hook(`,"method":"GET"`), []string{"webhook-method-body-mismatch at " + c + "bodyTemplate"}},
	{hook(`,"bodyTemplate":"none"`), []string{"webhook-method-body-mismatch at " + c + "bodyTemplate"}},
	{hook(`,"method":"GET","bodyTemplate":"none","mode":"async"`), []string{"webhook-method-body-mismatch at " + c + "mode"}},
	{hook(`,"method":"PUT","bodyTemplate":"form","mode":"later","authMode":"basic"`), []string{
		"enum at " + c + "method", "enum at " + c + "bodyTemplate", "enum at " + c + "mode", "enum at " + c + "authMode",
	}},
	{hook(`,"authMode":"token"`), []string{"required at " + c + "authTokenHeader"}},
	{hook(`,"authMode":"token","authTokenHeader":"x-svc-signature"`), []string{"enum at " + c + "authTokenHeader"}},
	{hook(`,"authMode":"token","authTokenHeader":"a b"`), []string{"pattern at " + c + "authTokenHeader"}},
	{hook(`,"timeoutMs":60001,"expectedStatusCodes":[99,600,"200"]`), []string{
		"range at " + c + "timeoutMs", "range at " + c + "expectedStatusCodes.0", "range at " + c + "expectedStatusCodes.1", "type at " + c + "expectedStatusCodes.2",
	}},
	{hook(`,"requestHeaders":{"Host":"x","X-Svc-A":"1","webhook-id":"1","Proxy-X":"1","metadata-flavor":"1","X-Amz":"1","a b":"1","x-b":"a\r\nb","X-A":"1","x-a":"2","cookie":"1"}`), []string{
		"enum at " + c + "requestHeaders.Host", "enum at " + c + "requestHeaders.X-Svc-A", "enum at " + c + "requestHeaders.webhook-id",
		"enum at " + c + "requestHeaders.Proxy-X", "enum at " + c + "requestHeaders.metadata-flavor", "pattern at " + c + "requestHeaders.a b",
		"pattern at " + c + "requestHeaders.x-b", "duplicate at " + c + "requestHeaders.x-a", "enum at " + c + "requestHeaders.cookie",
	}},
}

var notificationShapes = []shapeCase{
	{node("notification", `{"channel":"email","recipients":["a@b.c"],"bodyTemplate":"x","subjectTemplate":"s","format":"html"}`), nil},
	{node("notification", `{"channel":"slack","slackTarget":"https://hooks.example.com/x","bodyTemplate":"[]","format":"slack-blocks"}`), nil},
	{node("notification", `{}`), []string{"required at " + c + "channel", "required at " + c + "bodyTemplate"}},
	{node("notification", `{"channel":"email","bodyTemplate":"x","slackTarget":"https://x.example.com","format":"slack-blocks"}`), []string{
		"conflict at " + c + "slackTarget", "APPROVAL_NOTIFICATION_SLACK_BLOCKS_REQUIRES_SLACK at " + c + "format", "required at " + c + "recipients",
	}},
	{node("notification", `{"channel":"slack","bodyTemplate":"x","slackTarget":"C0123"}`), []string{"address-refused at " + c + "slackTarget"}},
	{node("notification", `{"channel":"email","bodyTemplate":"x","recipients":["nobody"]}`), []string{"format at " + c + "recipients.0"}},
}

var edgeShapes = []shapeCase{
	{strings.Replace(with(""), `"edges":[]`, `"edges":{}`, 1), []string{"type at edges"}},
	{strings.Replace(with(""), `"edges":[]`, `"edges":[{},5,{"from":1,"to":{"kind":"tree"}},{"from":{"kind":"node","nodeId":"a","groupId":"g"},"to":{"kind":"group"}}]`, 1), []string{
		"required at edges.0.from", "required at edges.0.to", "type at edges.1", "type at edges.2.from", "enum at edges.2.to.kind",
		"conflict at edges.3.from.groupId", "required at edges.3.to.groupId",
	}},
	{strings.Replace(with(""), `"edges":[]`, `"edges":[`+times(501, edge("a", "a2", "always"))+`]`, 1), append([]string{"count at edges"}, repeated(fault.MaxIssues-1, func(i int) string {
		return fmt.Sprintf("dangling-edge at edges.%d.to", i)
	})...)},
}

var groupShapes = []shapeCase{
	{with(`,"groups":[{}]`), []string{"required at groups.0.groupId", "required at groups.0.memberNodeIds"}},
	{with(`,"groups":[{"groupId":"g","memberNodeIds":["a","a"],"expectedSteps":1.5,"quorum":"1","onQuorumMet":"stop"}]`), []string{
		"duplicate at groups.0.memberNodeIds.1", "type at groups.0.expectedSteps", "type at groups.0.quorum", "enum at groups.0.onQuorumMet",
	}},
}

var triggerShapes = []shapeCase{
	{trigger(``), nil},
	{with(`,"triggers":[{"triggerId":"t"},{"triggerId":"t"},{"triggerId":"a b"},{}]`), []string{
		"trigger-duplicate-id at triggers.1.triggerId", "pattern at triggers.2.triggerId", "required at triggers.3.triggerId",
	}},
	{trigger(`,"appTrigger":{}`), []string{"app-trigger-not-supported at triggers.0.appTrigger"}},
	{trigger(`,"schedule":{"cron":"* * * * *","timezone":"UTC","enabled":false},"inboundWebhook":{"authMode":"hmac","secret":"0123456789abcdef"}`), []string{
		"APPROVAL_APP_TRIGGER_EXCLUSIVE at triggers.0.inboundWebhook",
	}},
	{trigger(`,"filters":{"a.b":1,"c":[1,2]}`), nil},
	{trigger(`,"filters":{"a..b":1}`), []string{"pattern at triggers.0.filters.a..b"}},
	{cron("0 0 31 2 *"), nil},
	{cron("*/5 0-23/2 1,15 JAN-mar Mon,7"), nil},
	{cron("@daily"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("0 0 * * * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("TZ=UTC 0 0 * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("60 0 * * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("0 0 0 * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("5-1 0 * * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("*/0 0 * * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("+1 0 * * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{cron("1, 0 * * *"), []string{"APPROVAL_SCHEDULE_CRON_INVALID at triggers.0.schedule.cron"}},
	{trigger(`,"schedule":{"cron":"* * * * *","timezone":"Mars/Base","enabled":true}`), []string{"APPROVAL_SCHEDULE_TIMEZONE_INVALID at triggers.0.schedule.timezone"}},
	{trigger(`,"schedule":{"cron":"* * * * *","timezone":"posix/Europe/Berlin","enabled":true}`), []string{"APPROVAL_SCHEDULE_TIMEZONE_INVALID at triggers.0.schedule.timezone"}},
	{trigger(`,"schedule":{"cron":"* * * * *","timezone":"right/UTC","enabled":true}`), []string{"APPROVAL_SCHEDULE_TIMEZONE_INVALID at triggers.0.schedule.timezone"}},
	{trigger(`,"schedule":{"cron":"* * * * *","timezone":"Local"}`), []string{
		"required at triggers.0.schedule.enabled", "APPROVAL_SCHEDULE_TIMEZONE_INVALID at triggers.0.schedule.timezone",
	}},
	{inbound(`,"provider":"github","allowedEvents":["push"],"idempotencyHeader":"x-id","idempotencyBodyPath":"a.b","payloadMapping":"wrap"`), nil},
	{inbound(`,"provider":"custom"`), []string{"required at triggers.0.inboundWebhook.signatureHeader", "required at triggers.0.inboundWebhook.signatureAlgorithm"}},
	{trigger(`,"inboundWebhook":{"authMode":"bearer","provider":"github"}`), []string{
		"required at triggers.0.inboundWebhook.secret", "conflict at triggers.0.inboundWebhook.authMode",
	}},
}
