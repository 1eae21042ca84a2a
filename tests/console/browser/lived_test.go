package browser

import (
	"net/http"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// seeded is the definition that the demo workspace begins with.
const seeded = "editorial-sign-off"

// lived gives the demo workspace a week's life and returns the addresses of its pages by the names
// of their pictures.
func lived(env *kit.Env) map[string]string {
	env.T.Helper()
	endpoint := livedWebhooks(env)
	livedDocuments(env)
	source := livedKnowledge(env)
	livedDecisions(env)
	livedJudgments(env)
	livedFailure(env)
	livedDay(env)
	livedPatterns(env)
	run := livedEditorial(env)
	return map[string]string{
		"overview": "/", "inbox": "/inbox", "executions": "/executions", "execution": "/execution?id=" + run.ID, "definitions": "/definitions",
		"definition": in("/definition", "id", seeded, "version", "2", "beside", "1"), "editor": in("/definition/edit", "id", "editorial"), "endpoints": "/endpoints",
		"endpoint": in("/endpoint", "id", endpoint), "organizations": "/organizations", "documents": in("/documents", "organization", "acme"),
		"document": in("/document", "organization", "acme", "id", "spring"), "thread": in("/thread", "organization", "acme", "document", "spring", "id", "which-spring"),
		"people": in("/people", "organization", "acme", "document", "spring", "user", "u_ann"), "knowledge": "/knowledge", "source": in("/source", "id", source),
		"search": in("/search", "q", "the year of the catalogue"), "ask": in("/ask", "q", "Within how many days must bills be paid?"),
		"judgments": "/judgments", "patterns": "/patterns", "jobs": "/jobs", "mails": "/mails",
	}
}

// livedWebhooks makes an endpoint that answers and one that does not, and returns the latter.
func livedWebhooks(env *kit.Env) string {
	env.Receiver().Answer("/billing", receiver.Answer{Status: http.StatusServiceUnavailable, Body: "the queue of bills is full"})
	env.Call("workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": true}, nil)
	add := func(path, description string) string {
		var made client.Wrapped[struct{ ID string }]
		env.Call("workspace/advancedwebhook/endpoints/create", map[string]any{"url": env.Receiver().URL(path), "description": description}, &made)
		return made.Data.ID
	}
	add("/publisher", "The publisher's site")
	return add("/billing", "Bills for what was published")
}

// livedDocuments makes an organization with people, folders and a document that is talked about.
func livedDocuments(env *kit.Env) {
	env.Call("organizations/add", map[string]any{"organizations": []any{map[string]any{"organizationId": "acme", "organizationName": "Acme Seeds"}}}, nil)
	env.Call("organizations/folders/add", map[string]any{"organizationId": "acme", "folders": []any{map[string]any{"folderId": "seasons", "folderName": "Seasons"}}}, nil)
	env.Call("organizations/documents/add", map[string]any{"organizationId": "acme", "documents": []any{
		map[string]any{"documentId": "spring", "documentName": "Spring catalogue"},
		map[string]any{"documentId": "summer", "documentName": "Summer catalogue"},
		map[string]any{"documentId": "autumn", "documentName": "Autumn catalogue"},
		map[string]any{"documentId": "winter", "documentName": "Winter catalogue"},
		map[string]any{"documentId": "prices", "documentName": "Press note on prices"},
		map[string]any{"documentId": "bulbs", "documentName": "Press note on bulbs"},
		map[string]any{"documentId": "tools", "documentName": "Press note on tools"},
		map[string]any{"documentId": "seeds", "documentName": "Seeds of last year"},
	}}, nil)
	env.Call("organizations/documents/delete", map[string]any{"organizationId": "acme", "documentIds": []string{"seeds"}}, nil)
	for _, where := range []map[string]any{{"organizationId": "acme"}, {"organizationId": "acme", "documentId": "spring"}} {
		where["users"] = []any{
			map[string]any{"userId": "u_ann", "name": "Ann Abel", "email": "ann@reader.test", "accessRole": "editor"},
			map[string]any{"userId": "u_bob", "name": "Bob Brand", "email": "bob@reader.test", "accessRole": "viewer"},
			map[string]any{"userId": "u_legal", "name": "Lea Legal", "email": "lea@reader.test", "accessRole": "editor"},
		}
		env.Call("users/add", where, nil)
	}
	env.Call("organizations/usergroups/add", map[string]any{"organizationId": "acme", "organizationUserGroups": []any{map[string]any{"groupId": "legal", "groupName": "Legal desk"}}}, nil)
	env.Call("organizations/usergroups/users/add", map[string]any{"organizationId": "acme", "organizationUserGroupId": "legal", "userIds": []string{"u_legal"}}, nil)
	env.Call("commentannotations/add", map[string]any{"organizationId": "acme", "documentId": "spring", "commentAnnotations": []any{
		map[string]any{"annotationId": "which-spring", "commentData": []any{
			map[string]any{
				"commentText": "Which spring is this? The cover names no year, {{u_bob}}.", "triggerNotification": true, "from": map[string]any{"userId": "u_ann", "name": "Ann Abel", "email": "ann@reader.test"},
				"taggedUserContacts": []any{map[string]any{"userId": "u_bob", "contact": map[string]any{"userId": "u_bob", "name": "Bob Brand", "email": "bob@reader.test"}}},
			},
			map[string]any{"commentText": "The next one. I add the year.", "from": map[string]any{"userId": "u_bob", "name": "Bob Brand"}},
		}},
		map[string]any{
			"annotationId": "year", "type": "suggestion",
			"suggestion":  map[string]any{"oldValue": "Spring catalogue", "newValue": "Spring catalogue 2027", "reason": "Every press note must name the year of the catalogue."},
			"commentData": []any{map[string]any{"commentText": "As the house style says.", "from": map[string]any{"userId": "u_legal", "name": "Lea Legal"}}},
		},
	}}, nil)
	env.Call("commentannotations/add", map[string]any{"organizationId": "acme", "documentId": "prices", "commentAnnotations": []any{
		map[string]any{"annotationId": "lowest", "commentData": []any{map[string]any{"commentText": "We cannot prove that these prices are the lowest.", "from": map[string]any{"userId": "u_legal", "name": "Lea Legal"}}}},
	}}, nil)
}

// livedKnowledge brings a guideline in and returns its source.
func livedKnowledge(env *kit.Env) string {
	bring := func(name, text string) string {
		file := kit.InlineFile([]byte(text), kit.PlainText)
		file["fileName"] = name
		source := kit.IngestAs(env, map[string]any{"source": "inline", "file": file})
		kit.BroughtIn(env, source, "completed")
		return source
	}
	bring("Legal desk.md", "# Claims\n\nWhat is claimed of a price must be proved by a list of the day.\n\n# Approval\n\nThe legal desk must see every draft that names a competitor.\n")
	return bring("House style.md", "# House style\n\nEvery press note must name the year of the catalogue.\n\nPrices must never be called the lowest.\n\n# Payment\n\nBills must be paid within 14 days.\n")
}

// livedDecisions changes the example and has most of its executions decided, with reasons.
func livedDecisions(env *kit.Env) {
	var definition map[string]any
	env.Call("workflow/definitions/get", map[string]any{"definitionId": seeded}, &definition)
	changed := map[string]any{"definitionId": seeded, "name": "Editorial sign-off", "ifVersion": definition["version"]}
	for _, kept := range []string{"description", "tags", "nodes", "edges"} {
		changed[kept] = definition[kept]
	}
	changed["description"] = "A draft is fetched, an editor and the legal desk sign it off, then it is published."
	env.Call("workflow/definitions/update", changed, nil)
	for _, draft := range []struct{ document, title, decision, reason string }{
		{"autumn", "Autumn catalogue", "approve", "The figures are sourced, the year is on the cover."},
		{"winter", "Winter catalogue", "approve", "Reads well, and the year is on the cover."},
		{"bulbs", "Press note on bulbs", "reject", "It calls the prices the lowest."},
		{"tools", "Press note on tools", "reject", "It calls the prices the lowest, which we cannot prove."},
		{"summer", "Summer catalogue", "", ""},
		{"prices", "Press note on prices", "", ""},
	} {
		key := kit.Key("draft:" + draft.document)
		run := kit.Dispatch(env, seeded, kit.Input(map[string]any{"title": draft.title, "draftUrl": "https://cms.example.com/drafts/" + draft.document}), about(draft.document), key)
		run.WaitsAt("sign-off")
		if draft.decision != "" {
			run.Decide("sign-off", "u_editor", draft.decision, draft.reason)
		}
	}
}

// livedJudgments has others judge elsewhere what the editor is asked next.
func livedJudgments(env *kit.Env) {
	for _, judged := range []struct{ reviewer, decision, reason string }{
		{"u_carol", "rejected", "It calls the prices the lowest."},
		{"u_dora", "rejected", "Nobody can prove that prices are the lowest."},
		{"u_emil", "rejected", "It calls the prices the lowest, which nobody can prove."},
		{"u_fay", "approved", "The list of the day proves what it says of prices."},
	} {
		kit.Record(env, kit.Verdict(judged.reviewer, judged.decision, map[string]any{
			"reasoning": judged.reason, "content": "Press note on prices. Please read the draft and decide.", "organizationId": "acme", "documentId": "prices",
		}))
	}
	kit.Remembers(env)
}

// livedPatterns has what reviewers usually decide looked for.
func livedPatterns(env *kit.Env) {
	kit.Operate(env.T, "patterns", "detect", "--workspace", env.Workspace.ID)
	kit.RequireWithin(env.T, kit.Patience, "a pattern is found", func() bool {
		var found []redline.Pattern
		env.Call(client.GetPatterns, map[string]any{}, &found)
		return len(found) > 0
	})
}

// about names the document that an execution is about.
func about(document string) func(*redline.DispatchRequest) {
	return func(d *redline.DispatchRequest) { d.OrganizationID, d.DocumentID = new("acme"), new(document) }
}

// livedDay copies an execution that has ended well, and one that has failed, over the last day.
func livedDay(env *kit.Env) {
	rows := env.DB()
	for status, copies := range map[string]int{"completed": 84, "failed": 5} {
		var of string
		require.NoError(env.T, rows.QueryRow(env.Ctx, `SELECT id FROM executions WHERE workspace_id = $1 AND status = $2 ORDER BY id LIMIT 1`, env.Workspace.ID, status).Scan(&of))
		for _, statement := range []string{
			`INSERT INTO executions SELECT (jsonb_populate_record(t, jsonb_build_object(
    'id', 'exec_' || (extract(epoch FROM at) * 1000)::bigint || '_' || lpad(to_hex(n), 8, '0'), 'idempotency_key', 'day:' || n, 'started_at', at, 'completed_at', at + interval '4 minutes'))).*
FROM executions t CROSS JOIN generate_series(1, $3::int) n CROSS JOIN LATERAL (SELECT now() - interval '20 minutes' - interval '22 hours' * (n + n * n % 9) / ($3::int + 9) AS at) started
WHERE t.workspace_id = $1 AND t.id = $2`,
			`INSERT INTO steps SELECT (jsonb_populate_record(t, jsonb_build_object('execution_id', made.id))).* FROM steps t JOIN executions e ON e.id = t.execution_id
JOIN executions made ON made.workspace_id = e.workspace_id AND made.definition_id = e.definition_id AND made.idempotency_key LIKE 'day:%'
WHERE t.workspace_id = $1 AND t.execution_id = $2 AND $3::int > 0`,
		} {
			_, err := rows.Exec(env.Ctx, statement, env.Workspace.ID, of, copies)
			require.NoError(env.T, err)
		}
	}
}

// livedFailure leaves an execution that failed.
func livedFailure(env *kit.Env) {
	env.Receiver().Answer("/printer", receiver.Status(http.StatusBadRequest))
	kit.Create(env, redline.DefinitionRequest{DefinitionID: "print", Name: "Print run", Nodes: []redline.NodeInput{client.Hook("print", env.Receiver().URL("/printer"))}})
	kit.Dispatch(env, "print", kit.Key("print:spring")).Ends("failed")
}

// livedEditorial leaves the editorial example in its second pass.
func livedEditorial(env *kit.Env) *kit.Run {
	e := newEditorial(env)
	e.run = kit.Dispatch(env, "editorial", kit.Input(map[string]any{"title": "Spring catalogue", "draftUrl": "https://cms.example.com/drafts/7"}), about("spring"), kit.Key("catalogue:spring"))
	e.handsIn(1, 412)
	e.advises(1, "rejected")
	e.run.WaitsAt("brand")
	e.run.Decide("brand", "u_brand", "reject", "Say which spring this is.")
	e.handsIn(2, 418)
	e.advises(2, "resolved")
	again := e.run.WaitsAt("product")
	_, err := env.Workspace.Decide(env.Ctx, e.run.Decision(again.StepID, "u_product", "approve", "The figures are right."))
	require.NoError(env.T, err)
	return e.run
}
