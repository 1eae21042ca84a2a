package browser

import (
	"net/http"
	"strings"

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
	run := livedEditorial(env)
	return map[string]string{
		"overview": "/", "inbox": "/inbox", "executions": "/executions", "execution": "/execution?id=" + run.ID, "definitions": "/definitions",
		"definition": in("/definition", "id", seeded, "version", "2", "beside", "1"), "editor": in("/definition/edit", "id", "editorial"), "endpoints": "/endpoints",
		"endpoint": in("/endpoint", "id", endpoint), "organizations": "/organizations", "documents": in("/documents", "organization", "acme"),
		"document": in("/document", "organization", "acme", "id", "spring"), "thread": in("/thread", "organization", "acme", "document", "spring", "id", "which-spring"),
		"people": in("/people", "organization", "acme", "document", "spring", "user", "u_ann"), "knowledge": "/knowledge", "source": in("/source", "id", source),
		"search": in("/search", "q", "the year of the catalogue"), "ask": in("/ask", "q", "Within how many days must bills be paid?"),
		"judgments": "/judgments", "patterns": "/patterns", "settings": "/settings", "jobs": "/jobs", "mails": "/mails",
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
		map[string]any{"documentId": "spring", "documentName": "Spring catalogue"}, map[string]any{"documentId": "prices", "documentName": "Price list"},
	}}, nil)
	env.Call("users/add", map[string]any{"organizationId": "acme", "users": []any{
		map[string]any{"userId": "u_ann", "name": "Ann Abel", "email": "ann@reader.test", "accessRole": "editor"}, map[string]any{"userId": "u_bob", "name": "Bob Brand", "email": "bob@reader.test", "accessRole": "viewer"},
	}}, nil)
	env.Call("organizations/usergroups/add", map[string]any{"organizationId": "acme", "organizationUserGroups": []any{map[string]any{"groupId": "legal", "groupName": "Legal desk"}}}, nil)
	env.Call("commentannotations/add", map[string]any{"organizationId": "acme", "documentId": "spring", "commentAnnotations": []any{
		map[string]any{"annotationId": "which-spring", "commentData": []any{
			map[string]any{
				"commentText": "Which spring is this? The cover names no year, {{u_bob}}.", "triggerNotification": true, "from": map[string]any{"userId": "u_ann", "name": "Ann Abel", "email": "ann@reader.test"},
				"taggedUserContacts": []any{map[string]any{"userId": "u_bob", "contact": map[string]any{"userId": "u_bob", "name": "Bob Brand", "email": "bob@reader.test"}}},
			},
			map[string]any{"commentText": "The next one. I add the year.", "from": map[string]any{"userId": "u_bob", "name": "Bob Brand"}},
		}},
		map[string]any{"annotationId": "lowest", "commentData": []any{map[string]any{"commentText": "We cannot prove that these prices are the lowest.", "from": map[string]any{"userId": "u_legal", "name": "Lea Legal"}}}},
	}}, nil)
}

// livedKnowledge brings a guideline in and returns its source.
func livedKnowledge(env *kit.Env) string {
	source := kit.Ingest(env, "# House style\n\nEvery press note must name the year of the catalogue.\n\nPrices must never be called the lowest.\n\n# Payment\n\nBills must be paid within 14 days.\n")
	kit.BroughtIn(env, source, "completed")
	return source
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
	for title, decided := range map[string][2]string{
		"Autumn catalogue": {"approve", "The figures are sourced, the year is on the cover."}, "Winter catalogue": {"approve", "Reads well, and the year is on the cover."},
		"Press note on bulbs": {"reject", "It calls the prices the lowest."}, "Press note on tools": {"reject", "It calls the prices the lowest, which we cannot prove."},
		"Summer catalogue": {}, "Press note on prices": {},
	} {
		run := kit.Dispatch(env, seeded, kit.Input(map[string]any{"title": title, "draftUrl": "https://cms.example.com/drafts/" + strings.ToLower(strings.Fields(title)[0])}), about)
		run.WaitsAt("sign-off")
		if decided[0] != "" {
			run.Decide("sign-off", "u_editor", decided[0], decided[1])
		}
	}
}

// livedJudgments has others judge elsewhere what the editor is asked next.
func livedJudgments(env *kit.Env) {
	for reviewer, reason := range map[string]string{"u_carol": "It calls the prices the lowest.", "u_dora": "Nobody can prove that prices are the lowest."} {
		kit.Record(env, kit.Verdict(reviewer, "rejected", map[string]any{
			"reasoning": reason, "content": "Press note on prices. Summer catalogue. Please read the draft and decide.", "organizationId": "acme", "documentId": "prices",
		}))
	}
	kit.Remembers(env)
}

// about names the document that an execution is about.
func about(d *redline.DispatchRequest) { d.OrganizationID, d.DocumentID = new("acme"), new("spring") }

// livedFailure leaves an execution that failed.
func livedFailure(env *kit.Env) {
	env.Receiver().Answer("/printer", receiver.Status(http.StatusBadRequest))
	kit.Create(env, redline.DefinitionRequest{DefinitionID: "print", Name: "Print run", Nodes: []redline.NodeInput{client.Hook("print", env.Receiver().URL("/printer"))}})
	kit.Dispatch(env, "print").Ends("failed")
}

// livedEditorial leaves the editorial example in its second pass.
func livedEditorial(env *kit.Env) *kit.Run {
	e := newEditorial(env)
	e.run = kit.Dispatch(env, "editorial", kit.Input(map[string]any{"title": "Spring catalogue", "draftUrl": "https://cms.example.com/drafts/7"}), about)
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
