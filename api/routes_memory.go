package api

import (
	"github.com/redline-svc/redline/api/memory"
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/signed"
	"github.com/redline-svc/redline/internal/limit"
)

// knowledgeRoutes are the operations on sources of knowledge.
func knowledgeRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/memory/knowledge/upload-url", h.Knowledge.UploadURL, rpc.Strict(), rpc.RateClass(limit.KnowledgeUpload),
			rpc.Summary("Mint an address for uploading a file"),
			rpc.Example(`{"mimeType":"application/pdf","fileSize":48213,"fileName":"handbook.pdf"}`, memory.ExampleUpload)),
		rpc.Post("/v2/memory/knowledge/ingest", h.Knowledge.Ingest, rpc.Strict(), rpc.BodyLimit(rpc.FileBodyLimit), rpc.RateClass(limit.KnowledgeIngest),
			rpc.Once(), rpc.Summary("Bring a file in as a source of knowledge"),
			rpc.Example(`{"source":"inline","file":{"base64":"SGVsbG8=","mimeType":"text/plain","fileName":"hello.txt","fileSize":5}}`, memory.ExampleIngest),
			rpc.Example(`{"source":"fileRef","fileRef":"gs://knowledge/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","mimeType":"application/pdf"}`, memory.ExampleIngest)),
		rpc.Post("/v2/memory/knowledge/ingest-status", h.Knowledge.Status, rpc.Strict(), rpc.RateClass(limit.KnowledgeStatus),
			rpc.Summary("Tell how the ingestion of a source goes"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, memory.ExampleIngestStatus)),
		rpc.Post("/v2/memory/knowledge/update", h.Knowledge.Update, rpc.Strict(), rpc.BodyLimit(rpc.FileBodyLimit), rpc.RateClass(limit.KnowledgeUpdate),
			rpc.Summary("Replace the content of a source, and see which rules changed"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","newContent":"# Payment\n\nBills must be paid within 14 days."}`, memory.ExampleUpdated)),
		rpc.Post("/v2/memory/knowledge/search", h.Knowledge.Search, rpc.Strict(), rpc.RateClass(limit.KnowledgeSearch),
			rpc.Summary("Find chunks and rules by meaning, with hybrid also by words"),
			rpc.Example(`{"query":"When is an invoice due?","limit":5,"includeRules":true}`, memory.ExampleKnowledge),
			rpc.Example(`{"query":"When is an invoice due?","sourceId":["src_1","src_2"]}`, memory.ExampleKnowledge),
			rpc.Example(`{"query":"When is an invoice due?","hybrid":true,"highlights":true}`, memory.ExampleHybrid)),
		rpc.Post("/v2/memory/knowledge/list", h.Knowledge.List, page, rpc.Strict(), rpc.RateClass(limit.KnowledgeList),
			rpc.Summary("List the sources of knowledge"),
			rpc.Example(`{}`, memory.ExampleSources),
			rpc.Example(`{"status":"completed","organizationId":"acme","pageSize":10}`, memory.ExampleSourcePage)),
		rpc.Post("/v2/memory/knowledge/rules", h.Knowledge.Rules, page, rpc.Strict(), rpc.RateClass(limit.KnowledgeRules),
			rpc.Summary("List the rules of a source"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, memory.ExampleRules)),
		rpc.Post("/v2/memory/knowledge/download", h.Knowledge.Download, rpc.Strict(), rpc.RateClass(limit.KnowledgeDownload),
			rpc.Summary("Read the text of a source"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, `"# Payment\n\nBills must be paid in full.\n"`),
			rpc.Example(`{"sourceId":"src_unknown"}`, `null`)),
		rpc.Post("/v2/memory/knowledge/delete", h.Knowledge.Delete, rpc.PastQuota(), rpc.Strict(), rpc.RateClass(limit.KnowledgeDelete),
			rpc.Summary("Delete a source with all that was made of it"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs","force":true}`, memory.ExampleSourceDeleted)),
		rpc.Post("/v2/memory/knowledge/retry", h.Knowledge.Retry, rpc.Strict(), rpc.RateClass(limit.KnowledgeRetry),
			rpc.Once(), rpc.Summary("Bring a source in again that failed"),
			rpc.Example(`{"sourceId":"src_01kdvm9w00abcdefghjkmnpqrs"}`, memory.ExampleRetry)),
	}
}

// memoryRoutes are the operations on judgments and on what they advise, and the signed addresses
// of files.
func memoryRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/memory/search", h.Judgments.Search, hits, rpc.RateClass(limit.MemorySearch), rpc.Summary("Find judgments: a thread, the newest of some days, or by meaning"),
			rpc.Example(`{"query":"Are two sources enough?","organizationId":"acme","filters":{"decision":"approved","dateRange":{"start":"2026-01-01"}}}`, memory.ExampleFound),
			rpc.Example(`{"query":"Are two sources enough?","scope":"apiKey","recencyDays":30,"filters":{"excludeDocumentIds":["spring"]}}`, memory.ExampleFound)),
		rpc.Post("/v2/memory/judgments/query", h.Judgments.Query, page, rpc.RateClass(limit.JudgmentsQuery), rpc.Summary("List judgments by what is known about them"),
			rpc.Example(`{"decision":"approved","limit":1}`, memory.ExampleJudgments)),
		rpc.Post("/v2/memory/judgments/record", h.Judgments.Record, rpc.RateClass(limit.JudgmentsRecord), rpc.Once("judgments.recordId"), rpc.Summary("Record judgments that were made elsewhere"),
			rpc.Example(memory.ExampleJudgmentData, memory.ExampleRecorded), rpc.Example(memory.ExampleJudgmentList, memory.ExampleRecorded)),
		rpc.Post("/v2/memory/judgments/delete", h.Judgments.Delete, rpc.PastQuota(), rpc.Selects(), rpc.RateClass(limit.JudgmentsDelete), rpc.Summary("Delete judgments; the acts behind them stay"),
			rpc.Example(`{"recordIds":["ticket-7","ticket-8"]}`, memory.ExampleJudgmentsDeleted)),
		rpc.Post("/v2/memory/patterns/get", h.Patterns.Get, page, rpc.RateClass(limit.PatternsGet), rpc.Summary("List what reviewers usually decide"),
			rpc.Example(`{}`, memory.ExamplePatterns)),
		rpc.Post("/v2/memory/suggest", h.Suggestions.Suggest, hits, rpc.RateClass(limit.MemorySuggest), rpc.Summary("Advise how to decide, by what was decided about things like it"),
			rpc.Example(`{"query":"A supplier contract without a cap on liability.","organizationId":"acme"}`, memory.ExampleSuggestion)),
		rpc.Post("/v2/memory/stats/get", h.Stats.Get, rpc.RateClass(limit.MemoryStats), rpc.Summary("Count what the workspace remembers"),
			rpc.Example(`{}`, `{"totalActivities":1204,"totalProfiles":17,"totalPatterns":0,"totalKnowledgeSources":3,"totalChunks":214,"totalRules":38}`)),
		rpc.Post("/v2/memory/profiles/get", h.Judgments.Profile, rpc.RateClass(limit.MemoryProfiles), rpc.Summary("Read what a user's judgments say about them"),
			rpc.Example(`{"targetUserId":"u_ann"}`, memory.ExampleProfile), rpc.Example(`{"targetUserId":"u_nobody"}`, `null`)),
		rpc.Post("/v2/memory/ask", h.Answers.Ask, hits, rpc.RateClass(limit.MemoryAsk), rpc.Summary("Answer a question with sentences of judgments and knowledge"),
			rpc.Example(`{"question":"How high may liability be?","organizationId":"acme","recencyDays":90}`, memory.ExampleAnswer),
			rpc.Example(`{"question":"How high may liability be?","filters":{"reviewerId":"u_ann","decision":"rejected"},"includeKnowledge":false}`, memory.ExampleAnswer)),
		rpc.Upload(signed.Path+"{token}", h.Knowledge.Incoming, rpc.Summary("Take the file of an upload"), rpc.Answers[memory.UploadedFile](),
			rpc.Example("", `{"fileRef":"gs://knowledge/AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","fileSize":48213}`)),
		rpc.Download(signed.Path+"{token}", h.Downloads.Outgoing, rpc.Summary("Give a file of a source, or the export of a person")),
	}
}

// alertRoutes are the operations on what stands out in judgments.
func alertRoutes(h Handlers) []rpc.Route {
	return []rpc.Route{
		rpc.Post("/v2/memory/alerts/list", h.Alerts.List, page, rpc.Lists(), rpc.RateClass(limit.PatternsGet), rpc.Summary("List what stands out in what reviewers decide"),
			rpc.Example(`{"organizationId":"acme"}`, memory.ExampleAlerts)),
		rpc.Post("/v2/memory/alerts/dismiss", h.Alerts.Dismiss, rpc.PastQuota(), rpc.RateClass(limit.PatternsGet), rpc.Summary("Note that an alert is of no use"),
			rpc.Example(`{"alertId":"alr_01kdvm9w00abcdefghjkmnpqrs","user":{"uid":"u_ann"}}`, `{"success":true}`)),
		rpc.Post("/v2/memory/alerts/action", h.Alerts.Act, rpc.PastQuota(), rpc.RateClass(limit.PatternsGet), rpc.Summary("Note that something was done about an alert"),
			rpc.Example(`{"alertId":"alr_01kdvm9w00abcdefghjkmnpqrs"}`, `{"success":true}`)),
		rpc.Post("/v2/memory/alerts/config/get", h.Alerts.Config, rpc.RateClass(limit.PatternsGet), rpc.Summary("Read what is set for alerts"),
			rpc.Example(`{}`, memory.ExampleAlertConfig)),
		rpc.Post("/v2/memory/alerts/config/update", h.Alerts.Configure, rpc.RateClass(limit.PatternsGet), rpc.Summary("Change what is set for alerts"),
			rpc.Example(`{"config":{"enabledAlertTypes":["standards_drift","anomaly"],"severityThreshold":"medium"}}`, memory.ExampleAlertConfig)),
		rpc.Post("/v2/memory/consolidation/trigger", h.Alerts.Trigger, rpc.RateClass(limit.PatternsGet), rpc.Summary("Have patterns and alerts looked for now"),
			rpc.Example(`{}`, memory.ExampleConsolidation)),
	}
}
