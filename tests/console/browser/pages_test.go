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
		map[string]any{
			"annotationId": "a2", "type": "suggestion", "suggestion": map[string]any{"oldValue": "Spring", "newValue": "Spring 2027"},
			"commentData": []any{map[string]any{"commentText": "So.", "from": map[string]any{"userId": "u_brand"}}},
		},
	}}, nil)
	env.Call("organizations/usergroups/add", map[string]any{"organizationId": "acme 🦊", "organizationUserGroups": []any{map[string]any{"groupId": "legal", "groupName": "Legal"}}}, nil)
	env.Call("organizations/folders/add", map[string]any{"organizationId": "acme 🦊", "folders": []any{map[string]any{"folderId": "seasons", "folderName": "Seasons"}}}, nil)
	env.Call("workspace/advancedwebhook/endpoints/test", map[string]any{"endpointId": made.Data.ID}, nil)
	source := kit.Ingest(env, "Every press note must name the year of the catalogue.")
	kit.BroughtIn(env, source, "completed")
	definition := kit.SignOff(env)
	review := client.Human("review", "ann")
	review.Name = new("The sign-off by the editor and the legal desk of the house")
	env.Call("workflow/definitions/update", map[string]any{
		"definitionId": definition, "ifVersion": 1, "name": "Changed", "tags": []string{"example"},
		"nodes": []redline.NodeInput{review, client.Mock("publish")}, "edges": client.Both("review", "publish"),
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

// callers are the ids of a filled workspace that are the caller's own.
var callers = []string{"acme 🦊", "letter", "a1", "u_brand", "ann", "legal", "seasons"}

// looks are how a page is seen.
var looks = []struct {
	scheme string
	width  int64
}{{"light", 1360}, {"dark", 1360}, {"light", 360}, {"dark", 360}}

// faultless requires of the page that is open, with all that can be opened on it, that nothing is wrong
// with it in any look.
func (b *tab) faultless(program, name string) {
	t := b.env.T
	t.Helper()
	b.run(`document.querySelectorAll("details").forEach(part => part.open = true); ""`)
	for _, look := range looks {
		b.prefer(look.scheme, look.width)
		require.Empty(t, b.faults(program), "%s, %s, %d", name, look.scheme, look.width)
		require.Equal(t, "fits", b.run(`document.documentElement.scrollWidth <= innerWidth ? "fits" : "too wide"`), "%s at %d", name, look.width)
	}
	b.prefer("light", 1360)
	require.Empty(t, b.run(`[...document.querySelectorAll(".graph .texts")].filter(t => t.scrollHeight > t.clientHeight).map(t => t.innerText).join()`), "%s: a box holds its texts", name)
	require.Empty(t, b.blind(), name)
	require.Empty(t, b.uncopied(callers), name)
	require.Empty(t, b.run(`[...document.querySelectorAll("time")].filter(t => t.textContent.endsWith("UTC")).map(t => t.outerHTML).join()`), "times are the reader's")
}

func TestEveryPageIsWithoutFaults(t *testing.T) {
	b := openTab(t)
	pages, program := filled(b), axe(t)
	for _, page := range pages {
		b.open(page)
		b.faultless(program, page)
	}
	b.forgive("404")
}

// What is shown once, as the answer of a form, is a page as well.
func TestAnswersOfFormsAreWithoutFaults(t *testing.T) {
	b := openTab(t)
	program := axe(t)
	source := kit.Ingest(b.env, "Every press note must name the year of the catalogue.")
	kit.BroughtIn(b.env, source, "completed")
	b.open("/source?id=" + source)
	b.press("Write a new version")
	b.fill("All of its text (Markdown)", "Every press note must name its year.")
	b.press("Write version 2")
	b.shows("What it changes of the text")
	b.faultless(program, "a new version")
	b.open("/definition/edit")
	b.fill("Definition (JSON)", `{"definitionId":"d","name":"d","nodes":[{"nodeId":"n","type":"nothing"}],"edges":[]}`)
	b.shows("fault")
	b.faultless(program, "the editor with faults")
	b.open("/endpoints")
	b.faultless(program, "webhooks that are off")
	b.press("Switch webhooks on")
	b.press("Add an endpoint")
	b.fill("Address", b.env.Receiver().URL("/hooks"))
	b.press("Add")
	b.press("Show the secret")
	b.shows("whsec_")
	b.faultless(program, "a secret")
}

// A workspace in which nothing has happened yet has pages that say what to do.
func TestEmptyPagesAreWithoutFaults(t *testing.T) {
	b := openTab(t)
	program := axe(t)
	b.env.Call("organizations/add", map[string]any{"organizations": []any{map[string]any{"organizationId": "acme 🦊"}}}, nil)
	b.env.Call("organizations/documents/add", map[string]any{"organizationId": "acme 🦊", "documents": []any{map[string]any{"documentId": "letter"}}}, nil)
	for _, page := range []string{
		"/", "/inbox", "/executions", in("/executions", "status", "failed"), "/definitions", in("/definitions", "tag", "none"), "/knowledge", in("/knowledge", "status", "failed"),
		in("/search", "q", "nothing"), in("/ask", "q", "What is not there?"), "/search", "/ask", "/judgments", in("/judgments", "decision", "approve"), "/patterns", "/jobs", in("/jobs", "status", "failed"),
		in("/document", "organization", "acme 🦊", "id", "letter"), in("/people", "organization", "acme 🦊"), in("/people", "organization", "acme 🦊", "document", "letter", "user", "nobody"), in("/documents", "organization", "acme 🦊", "folder", "none"),
	} {
		b.open(page)
		b.faultless(program, page)
	}
	b.forgive("404")
}

// Who is not logged in, and whoever owns the workspace, have pages of their own.
func TestThePagesOfTheOwnerAreWithoutFaults(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.TakeSlot(t, kit.IsolatedSlots)
	b, program := openTabAt(env, kit.ConsoleURL()), axe(t)
	b.open("/login?next=%2Fsettings")
	b.faultless(program, "the login")
	b.fill("Workspace id", env.Workspace.ID)
	b.fillIn("form:has(#workspaceToken)", "Its auth token", "wrong")
	b.pressIn("form:has(#workspaceToken)", "Log in")
	b.shows("These credentials are not known")
	b.faultless(program, "the login that was refused")
	b.forgive("401")
	b.fillIn("form:has(#workspaceToken)", "Its auth token", env.Workspace.Token)
	b.pressIn("form:has(#workspaceToken)", "Log in")
	b.shows("Replace the token")
	b.faultless(program, "the settings of the owner")
}
