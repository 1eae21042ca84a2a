package browser

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// in is an address with the names and values of a query in turn.
func in(path string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + query.Encode()
}

// filled gives a workspace something for every page, and returns the addresses of all pages.
func filled(b *tab) []string {
	env := b.env
	env.Call("workspace/advancedwebhookconfig/update", map[string]any{"isEnabled": true}, nil)
	var made redline.EndpointResult
	env.Call("workspace/advancedwebhook/endpoints/create", map[string]any{"url": env.Receiver().URL("/hooks")}, &made)
	env.Call("organizations/add", map[string]any{"organizations": []any{map[string]any{"organizationId": "acme 🦊", "organizationName": "Acme"}}}, nil)
	env.Call("organizations/documents/add", map[string]any{"organizationId": "acme 🦊", "documents": []any{map[string]any{"documentId": "letter", "documentName": "Letter"}}}, nil)
	env.Call("commentannotations/add", map[string]any{"organizationId": "acme 🦊", "documentId": "letter", "commentAnnotations": []any{
		map[string]any{"annotationId": "a1", "commentData": []any{map[string]any{"commentText": "Which spring?", "from": map[string]any{"userId": "u_brand"}}}},
	}}, nil)
	env.Call("organizations/usergroups/add", map[string]any{"organizationId": "acme 🦊", "organizationUserGroups": []any{map[string]any{"groupId": "legal", "groupName": "Legal"}}}, nil)
	env.Call("organizations/folders/add", map[string]any{"organizationId": "acme 🦊", "folders": []any{map[string]any{"folderId": "seasons", "folderName": "Seasons"}}}, nil)
	env.Call("workspace/advancedwebhook/endpoints/test", map[string]any{"endpointId": made.Data.ID}, nil)
	source := kit.Ingest(env, "Every press note must name the year of the catalogue.")
	kit.BroughtIn(env, source, "completed")
	definition := kit.SignOff(env)
	env.Call("workflow/definitions/update", map[string]any{
		"definitionId": definition, "ifVersion": 1, "name": "Changed",
		"nodes": []redline.NodeInput{client.Human("review", "ann"), client.Mock("publish")}, "edges": client.Both("review", "publish"),
	}, nil)
	judged := kit.Dispatch(env, definition)
	judged.WaitsAt("review")
	judged.Decide("review", "ann", "reject", "It names no year.")
	judged.Ends("completed")
	run := kit.Dispatch(env, definition, kit.Input(map[string]any{"title": "Spring"}), kit.WithReceiver(env, "/events"))
	run.WaitsAt("review")
	return []string{
		"/", "/inbox", "/executions", in("/execution", "id", run.ID), in("/execution", "id", "none"), "/definitions", in("/definition", "id", definition), in("/definition", "id", definition, "version", "2", "beside", "1"),
		in("/definition/edit", "id", definition), "/endpoints", in("/endpoint", "id", made.Data.ID), "/organizations", in("/documents", "organization", "acme 🦊"), in("/documents", "organization", "acme 🦊", "folder", "seasons"),
		in("/document", "organization", "acme 🦊", "id", "letter"), in("/thread", "organization", "acme 🦊", "document", "letter", "id", "a1"),
		in("/people", "organization", "acme 🦊", "user", "u_brand"), "/knowledge", in("/source", "id", source), in("/search", "q", "the year of the catalogue"), in("/ask", "q", "What must a press note name?"), "/judgments", "/patterns", "/settings", "/jobs", "/mails",
	}
}

func TestEveryPageIsWithoutFaults(t *testing.T) {
	b := openTab(t)
	pages, program := filled(b), axe(t)
	for _, look := range []struct {
		scheme string
		width  int64
	}{{"light", 1360}, {"dark", 1360}, {"light", 360}} {
		b.prefer(look.scheme, look.width)
		for _, page := range pages {
			b.open(page)
			require.Empty(t, b.faults(program), "%s, %s, %d", page, look.scheme, look.width)
			require.Empty(t, b.foreign(), page)
			require.Equal(t, "fits", b.run(`document.documentElement.scrollWidth <= innerWidth ? "fits" : "too wide"`), "%s at %d", page, look.width)
			require.Empty(t, b.run(`[...document.querySelectorAll("time")].filter(t => t.textContent.endsWith("UTC")).map(t => t.outerHTML).join()`), "times are the reader's")
		}
	}
	b.forgive("404")
}
