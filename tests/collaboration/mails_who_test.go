package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// One add tells a tagged user, an assignee and earlier authors, each by the
// address that comes first, each once, and nobody of an own comment.
func TestMails_3_WhoGetsWhich(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{"fromCompany": "Bücherei\u00a0Süd", "fromEmail": "desk@tests.example.com"})
	profile, sent, snapshot, other, uninvolved := kit.Mailbox(), kit.Mailbox(), kit.Mailbox(), kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("ann", "Ann", profile), kit.User("bob", "Bob", other), kit.User("eve", "Eve", uninvolved))
	env.Call(client.AddAnnotations, kit.Made("spring", assigned(kit.Annotated("n1",
		kit.Wrote("ann", "Hi {{bob}}, {{bob}} and {{bob}}, not {{ann}}", kit.Loud, kit.Contact("bob", sent)),
		map[string]any{"commentText": "mine", "from": map[string]any{"userId": "guest", "email": snapshot, "name": "Guest"}},
		kit.Wrote("bob", "Dear {{guest}}: done", kit.Loud),
	), kit.User("dora", "Dora", other))), nil)
	const root, answer = "Hi Bob, Bob and Bob, not Ann", "Dear guest: done"
	inBoxes(env, map[string][]string{
		sent: {root}, other: {root}, profile: {answer}, snapshot: {answer}, uninvolved: {},
	})
	mention, reply, assignment := kit.Mails(env, sent, 1)[0], kit.Mails(env, profile, 1)[0], kit.Mails(env, other, 1)[0]
	require.Equal(t, "Ann mentioned you in “spring”", mention.Subject)
	require.Equal(t, "Bob replied in “spring”", reply.Subject)
	require.Equal(t, "Bob mentioned you in “spring”", kit.Mails(env, snapshot, 1)[0].Subject, "mention before reply")
	require.Equal(t, "Ann assigned you a comment in “spring”", assignment.Subject)
	require.Equal(t, "Dora", nameOf(t, assignment.Headers["to"]), "for Bob the address that was sent comes before the profile's")

	head := mention.Headers
	require.Equal(t, "auto-generated", head["auto-submitted"])
	require.Regexp(t, `^<eml_[0-9a-z]+@.+>$`, head["message-id"])
	require.NotEmpty(t, head["references"])
	require.Equal(t, head["references"], reply.Headers["references"], "one thread for an annotation")
	require.Equal(t, head["references"], head["in-reply-to"])
	require.NotEqual(t, head["message-id"], reply.Headers["message-id"])
	require.Equal(t, "Bücherei Süd", nameOf(t, head["from"]))
	require.Contains(t, head["reply-to"], "desk@tests.example.com")
	require.NotContains(t, head, "list-unsubscribe")
}

func TestMails_4_NobodyOutsideARestrictedAnnotationGetsOne(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	inside, outside := kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("ann", "Ann", kit.Mailbox()), kit.User("bob", "Bob", inside), kit.User("eve", "Eve", outside))
	closed := kit.Annotated("n1", kit.Wrote("ann", "Inside, {{eve}} and {{bob}}", kit.Loud))
	closed["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	env.Call(client.AddAnnotations, kit.Made("d", closed), nil)
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("n2", kit.Wrote("ann", "Outside, {{eve}}", kit.Loud))), nil)
	inBoxes(env, map[string][]string{inside: {"Inside, Eve and Bob"}, outside: {"Outside, Eve"}})
}

// Who may not read the document any more by the time that a mail leaves is not
// told; who still may is.
func TestMails_AccessIsLookedAtWhenAMailLeaves(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	lost, kept, later := kit.Mailbox(), kit.Mailbox(), kit.Mailbox()
	kit.Items(env, client.AddUsers, kit.Doc("d", map[string]any{
		"createDocument": true, "users": []any{kit.User("bob", "Bob", lost), kit.User("eve", "Eve", kept), kit.User("cat", "Cat", later)},
	}))
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "Hi {{bob}}, hi {{eve}}", kit.Loud))), nil)
	require.True(t, kit.Items(env, client.DeleteUsers, kit.Doc("d", map[string]any{"userIds": []string{"bob"}}))["bob"].Success)
	isolated.StartProcess("worker")
	kit.RequireEventually(t, "the mail to who still may read", func() bool { return len(host.Letters()) > 0 })
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("b", kit.Wrote("ann", "Hi {{cat}}", kit.Loud))), nil)
	kit.RequireEventually(t, "a later mail", func() bool { return len(host.Letters()) > 1 })
	require.Equal(t, []string{kept, later}, []string{host.Letters()[0].To, host.Letters()[1].To})
	require.Len(t, host.Letters(), 2)
}

func TestMails_OffUnlessServiceTriggerAndFlagAreOn(t *testing.T) {
	env := kit.NewWorkspace(t)
	to, open := kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("ann", "Ann", to), kit.User("nobody", "Nobody", "not an address"))
	// assigns lets bob answer ann in an annotation that carl is assigned to.
	assigns := func(id, address string, flag map[string]any) {
		env.Call(client.AddAnnotations, kit.Made("d", assigned(
			kit.Annotated(id, kit.Wrote("ann", "Root of "+id, flag), kit.Wrote("bob", "Reply in "+id, flag)), kit.User("carl", "Carl", address))), nil)
	}
	switches := func(mention, others bool) {
		kit.MailBy(env, map[string]any{"triggers": map[string]any{"comment.mention": mention, "comment.reply": others, "comment_annotation.assign": others}})
	}
	kit.Mention(env, "bob", to) // the service was never on
	assigns("before", to, kit.Loud)
	switches(false, false)
	kit.Mention(env, "bob", to)
	assigns("off", to, kit.Loud)
	switches(true, false)
	assigns("still off", to, kit.Loud)
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("n1", kit.Wrote("eve", "Hi {{bob}}", kit.Contact("bob", to)))), nil) // no flag
	env.Call(client.AddAnnotations, kit.Made("d", kit.Annotated("n2", kit.Wrote("eve", "Hi {{nobody}}", kit.Loud))), nil)
	inBoxes(env, map[string][]string{to: {}})
	switches(true, true)
	assigns("unflagged", to, nil)
	assigns("on", open, kit.Loud)
	inBoxes(env, map[string][]string{to: {"Reply in on"}, open: {"Root of on"}})
}

// A step that waits for people asks them by mail, by their profiles in the
// execution's organization.
func TestMails_ReviewersAreAsked(t *testing.T) {
	env := kit.NewWorkspace(t)
	ann, eve, elsewhere := kit.Mailbox(), kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("ann", "Ann", ann), kit.User("eve", "Eve", eve))
	env.Call(client.AddUsers, map[string]any{"organizationId": "other", "createOrganization": true, "users": []any{kit.User("ann", "Ann", elsewhere)}}, nil)
	asking := func(text string) string {
		review := client.Human("review", "ann", "eve", "stranger")
		review.Name = new("Sign-off\nby <legal>")
		review = client.With(client.With(review, "commentBody", text), "reviewerEmails", []string{elsewhere})
		return kit.Define(env, []redline.NodeInput{review, client.Mock("done")}, client.Approve("review", "done"), client.Reject("review", "done"))
	}
	kit.Dispatch(env, asking("The service is off."), kit.At("acme", "")).WaitsAt("review")
	kit.MailBy(env, map[string]any{})
	kit.Dispatch(env, asking("Nobody is known without an organization.")).WaitsAt("review")
	r := kit.Dispatch(env, asking("Please read <it>."), kit.At("acme", ""))
	r.WaitsAt("review")
	for _, to := range []string{ann, eve} {
		got := kit.Mails(env, to, 1)[0]
		require.Contains(t, got.Subject, "Sign-off by <legal>")
		require.Contains(t, got.HTML, "Please read &lt;it&gt;.")
	}
	r.Decide("review", "ann", "approve")
	kit.MailBy(env, map[string]any{"triggers": map[string]any{"step.awaiting-approval": false}})
	kit.Dispatch(env, asking("The trigger is off."), kit.At("acme", "")).WaitsAt("review")
	const asked = "Please read <it>."
	inBoxes(env, map[string][]string{ann: {asked}, eve: {asked}, elsewhere: {}})
}

// Nobody is asked about a step that was cancelled in the commit that began it, nor, by a
// retry, once more who has decided.
func TestMails_ReviewersWhoAreNotWaitedForAreNotAsked(t *testing.T) {
	env := kit.NewWorkspace(t)
	ann, eve := kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("ann", "Ann", ann), kit.User("eve", "Eve", eve))
	kit.MailBy(env, map[string]any{})
	asked := func(text string, reviewers ...string) redline.NodeInput {
		return client.With(client.Human("review", reviewers...), "commentBody", text)
	}
	overtaken := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: overtaken, Name: "Overtaken",
		Nodes: []redline.NodeInput{asked("Overtaken", "ann"), client.Mock("check"), client.Mock("done")}, Edges: []redline.EdgeInput{client.Reject("review", "done")},
		Groups: []redline.StepGroupInput{{GroupID: "g", MemberNodeIds: []string{"review", "check"}, ExpectedSteps: 2, Quorum: 1, OnQuorumMet: new(redline.StepGroupInputOnQuorumMetCancelOnQuorum)}},
	})
	kit.Dispatch(env, overtaken, kit.At("acme", "")).Ends("completed")

	kit.Fails(env, "/call")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{asked("Once", "ann", "eve"), client.Human("first", "boss"), client.Hook("call", env.Receiver().URL("/call")), client.Mock("done")},
		client.Reject("review", "done"), client.Approve("first", "call"), client.Reject("first", "done")), kit.At("acme", ""))
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve")
	r.Decide("first", "boss", "approve")
	r.Ends("failed")
	r.Retry()
	inBoxes(env, map[string][]string{ann: {"Once"}, eve: {"Once", "Once"}})
}

// Who is put in a reviewer's place is asked as the first one was: nobody else, nobody once
// more by a repetition, nobody who took the step over, and not while the trigger is off.
func TestMails_WhoComesInAReviewersPlaceIsAsked(t *testing.T) {
	env := kit.NewWorkspace(t)
	ann, bob, eve, opt := kit.Mailbox(), kit.Mailbox(), kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("ann", "Ann", ann), kit.User("bob", "Bob", bob), kit.User("eve", "Eve", eve), kit.User("opt", "Opt", opt))
	kit.MailBy(env, map[string]any{})
	asking := func(text string) *kit.Run {
		review := client.With(client.Human("review", "ann", "opt"), "commentBody", text)
		r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{review, client.Mock("done")}, client.Approve("review", "done"), client.Reject("review", "done")), kit.At("acme", ""))
		r.WaitsAt("review")
		return r
	}
	r := asking("Handed on")
	r.Reassign("ann", "bob")
	r.Reassign("ann", "bob")
	got := kit.Mails(env, bob, 1)[0]
	require.Contains(t, got.Subject, "review")
	r.Reassign("bob", "stranger")
	r.Reassign("stranger", "ann")

	took := asking("Taken over")
	data := took.Reassigning("ann", "eve")
	data["actorId"] = "eve"
	env.Call(client.ReassignStep, data, nil)
	kit.Mails(env, ann, 3)
	kit.Mails(env, opt, 2)
	kit.MailBy(env, map[string]any{"triggers": map[string]any{"step.awaiting-approval": false}})
	took.Reassign("eve", "bob")
	inBoxes(env, map[string][]string{ann: {"Handed on", "Handed on", "Taken over"}, bob: {"Handed on"}, eve: {}, opt: {"Handed on", "Taken over"}})
}
