package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// Ids and texts of users in scripts of every direction, with markup in them.
const (
	organization = "acme \u202e🦊 & co"
	document     = "\u200fמכתב/7?x=1#y"
	markup       = `<img src=x onerror="document.title='run'">`
)

// withThread makes a document with an annotation of that many comments.
func withThread(env *kit.Env, comments int) {
	env.Call("organizations/add", map[string]any{"organizations": []any{map[string]any{"organizationId": organization, "organizationName": "Acme " + markup}}}, nil)
	env.Call("organizations/documents/add", map[string]any{"organizationId": organization, "documents": []any{map[string]any{"documentId": document, "documentName": "Letter " + markup}}}, nil)
	said := make([]any, comments)
	for i := range said {
		said[i] = map[string]any{"commentText": fmt.Sprintf("comment-%04d %s", i, markup), "from": map[string]any{"userId": "u_bea", "name": "Bea " + markup}}
	}
	of := map[string]any{"organizationId": organization, "documentId": document, "annotationId": "a1"}
	env.Call("commentannotations/add", map[string]any{"organizationId": organization, "documentId": document, "commentAnnotations": []any{
		map[string]any{"annotationId": "a1", "commentData": said[:1]},
	}}, nil)
	for begin := 1; begin < comments; begin += 100 {
		of["commentData"] = said[begin:min(begin+100, comments)]
		env.Call("commentannotations/comments/add", of, nil)
	}
}

// A reader goes from the organization to the thread, replies, resolves and opens it again.
func TestAThreadIsRepliedToAndResolved(t *testing.T) {
	b := openTab(t)
	withThread(b.env, 1)
	b.open("/")
	b.press("Documents")
	b.press("Acme")
	b.press("Add a folder")
	b.fill("Its id", "seasons 🌱")
	b.fill("Name", "Seasons "+markup)
	b.press("Add it")
	b.shows("Added.", "Seasons "+markup)
	b.press("Seasons")
	b.press("Rename this folder")
	b.fill("Name", "All seasons")
	b.press("Rename it")
	b.shows("Renamed.", "All seasons")
	b.press("acme")
	b.press("Letter")
	b.shows("comment-0000 "+markup, "Bea "+markup)
	b.press("1 comment")
	b.fill("Comment", "I see \u202eyou 🦊 "+markup)
	b.fill("You are", "u_ann \u200f")
	b.press("Reply")
	b.shows("I see \u202eyou 🦊 " + markup)
	b.fillIn(`form[action="/thread/resolve"]`, "You are", "u_ann")
	b.press("Resolve")
	b.shows("resolved by u_ann")
	b.fillIn(`form[action="/thread/resolve"]`, "You are", "u_ann")
	b.press("Open again")
	b.shows("Opened again.")
	require.NotEqual(t, "run", b.run("document.title"), "markup is text")
}

// A thread of 1,000 comments is read to its end page by page, by clicking.
func TestAThreadOfAThousandComments(t *testing.T) {
	b := openTab(t)
	withThread(b.env, 1000)
	b.open(in("/document", "organization", organization, "id", document))
	b.press("1000 comments")
	for page := range 20 {
		b.shows(fmt.Sprintf("comment-%04d", page*50), fmt.Sprintf("comment-%04d", page*50+49))
		if page < 19 {
			b.press("Next page")
		}
	}
	require.Zero(t, b.count(`a[rel="next"]`))
}

// Whoever may enter is found, put into a group, and their access is explained.
func TestAccessIsExplained(t *testing.T) {
	b := openTab(t)
	withThread(b.env, 1)
	b.env.Call("users/add", map[string]any{"organizationId": organization, "users": []any{map[string]any{"userId": "u_ann 🦊", "name": "Ann " + markup, "accessRole": "viewer"}}}, nil)
	b.open(in("/people", "organization", organization, "document", document))
	b.press("Add a group")
	b.fill("Its id", "legal")
	b.fill("Name", "Legal "+markup)
	b.press("Add it")
	b.shows("Legal " + markup)
	b.press("Change who is in a group")
	b.fill("User", "u_ann 🦊")
	b.press("Add to the group")
	b.shows("Added to the group.")
	b.press("Legal")
	b.shows("Users of the group legal", "Ann "+markup)
	b.open(in("/people", "organization", organization))
	b.fill("Name, e-mail or id", "Ann")
	b.press("Look")
	b.shows("Ann " + markup)
	b.press("Explain")
	b.shows("What u_ann 🦊 may do", "viewer")
	b.press("Delete")
	b.shows("No group yet.")
}

// A file is dropped on the page, goes through its stages before the reader's eyes, and is searched,
// asked, and changed.
func TestAFileIsDroppedAndLearntFrom(t *testing.T) {
	b := openTab(t)
	b.open("/knowledge")
	b.shows("No source yet.")
	b.drop("A file to learn from", "house 🦊.txt", "House style.\n\nEvery press note must name the year of the catalogue. "+markup+"\n\nBills must be paid within 30 days.\n")
	b.shows("Taken.", "house 🦊.txt", "Stage: ", "must name the year", "live 1", "completed")
	require.Equal(t, "5 5", b.run(`document.querySelector("progress").value + " " + document.querySelector("progress").max`))
	b.press("Write a new version")
	b.fill("All of its text (Markdown)", "House style.\n\nEvery press note must name the year of the catalogue. "+markup+"\n\nBills must be paid within 14 days.\n")
	b.press("Write version 2")
	b.shows("− Bills must be paid within 30 days.", "+ Bills must be paid within 14 days.", "unchanged", "What it changes of the text")
	require.Equal(t, "1 1", b.run(`document.querySelectorAll(".diff del").length + " " + document.querySelectorAll(".diff ins").length`), "the line that differs, and no other")
	b.press("To the source")
	b.shows("live 2")
	b.press("Search")
	b.fill("Words or meaning", "year of the catalogue")
	b.pressIn("main form", "Search")
	b.shows("press note", markup)
	require.Positive(t, b.count("mark"))
	b.press("Ask")
	b.fill("A question to what was decided and uploaded", "Within how many days must bills be paid?")
	b.pressIn("main form", "Ask")
	b.shows("14 days", "Said by")
	b.press("Knowledge")
	b.press("house 🦊.txt")
	b.press("Delete")
	b.shows("No source yet.")
}

// What was decided with a reason is found among the judgments.
func TestJudgmentsAreFiltered(t *testing.T) {
	b := openTab(t)
	run := kit.Dispatch(b.env, kit.SignOff(b.env))
	run.WaitsAt("review")
	run.Decide("review", "ann", "reject", "prices "+markup+" are called the lowest")
	b.open("/judgments")
	b.shows("prices " + markup + " are called the lowest")
	b.fill("Decision", "approve")
	b.press("Filter")
	b.shows("No judgment is like this")
	b.fill("Decision", "reject")
	b.fill("Reviewer", "ann")
	b.press("Filter")
	b.shows("prices")
	b.press("Patterns")
	b.shows("No pattern yet.")
}

// The owner of a workspace sees its keys, makes one and replaces a token; domains come and go.
func TestSettingsAreChanged(t *testing.T) {
	b := openTab(t)
	b.open("/settings")
	b.shows("Keys are managed with the workspace's own credentials.")
	b.fill("Domain", "app.example.com")
	b.press("Add")
	b.shows("Added.")
	b.press("Remove")
	b.shows("None: pages in a browser cannot call with this key.")
	b.press("Log out")
	b.fill("Workspace id", b.env.Workspace.ID)
	b.fillIn(`form:has(#workspaceToken)`, "Its auth token", b.env.Workspace.Token)
	b.pressIn("form:has(#workspaceToken)", "Log in")
	b.press("Settings")
	b.press("Make a key")
	b.fill("E-mail address of who is responsible", "ann@example.com")
	b.fill("Name", "Second "+markup)
	b.press("Make it")
	b.shows("Token of the key")
	b.press("Back")
	b.shows("Second " + markup)
	b.press("Replace the token")
	b.shows("New token of the key")
}

// Jobs appear as they are asked for, and mails as they are caught.
func TestJobsAndMailsAppear(t *testing.T) {
	b := openTab(t)
	withThread(b.env, 1)
	b.open("/jobs")
	b.shows("No job")
	b.env.Call("organizations/documents/delete", map[string]any{"organizationId": organization, "documentIds": []string{document}}, nil)
	b.hides("No job")
	b.press("Only failed")
	b.shows("No job has failed")
	b.env.Call("workspace/emailconfig/update", map[string]any{"useEmailService": true}, nil)
	to := kit.Unique("bob") + "@reader.test"
	b.env.Call("organizations/documents/add", map[string]any{"organizationId": organization, "documents": []any{map[string]any{"documentId": "next", "documentName": "Next"}}}, nil)
	b.press("Mails caught")
	b.env.Call("commentannotations/add", map[string]any{"organizationId": organization, "documentId": "next", "commentAnnotations": []any{map[string]any{"commentData": []any{map[string]any{
		"commentText": "Which year is this, {{u_bob}}?", "triggerNotification": true, "from": map[string]any{"userId": "u_ann", "name": "Ann", "email": "ann@reader.test"},
		"taggedUserContacts": []any{map[string]any{"userId": "u_bob", "contact": map[string]any{"userId": "u_bob", "name": "Bob", "email": to}}},
	}}}}}, nil)
	b.shows(to)
}

// A change that is proposed of a text is shown with what it takes away, and what it says instead.
func TestAProposedChangeIsShown(t *testing.T) {
	b := openTab(t)
	withThread(b.env, 1)
	b.env.Call("commentannotations/add", map[string]any{"organizationId": organization, "documentId": document, "commentAnnotations": []any{map[string]any{
		"annotationId": "a2", "type": "suggestion", "suggestion": map[string]any{"oldValue": "the lowest " + markup, "newValue": "low", "reason": "Nobody can prove it."},
		"commentData": []any{map[string]any{"commentText": "See the house style.", "from": map[string]any{"userId": "u_bea", "name": "Bea"}}},
	}}}, nil)
	for _, page := range []string{in("/document", "organization", organization, "id", document), in("/thread", "organization", organization, "document", document, "id", "a2")} {
		b.open(page)
		b.shows("A change is proposed", "the lowest "+markup, "low", "Nobody can prove it.", "pending")
	}
}
