package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// One add tells a tagged user, an assignee and earlier authors, each by the
// address that comes first, each once, and nobody of an own comment.
func TestMails_3_WhoGetsWhich(t *testing.T) {
	s := begin(t)
	s.mailBy(map[string]any{"fromCompany": "Bücherei\u00a0Süd", "fromEmail": "desk@stories.example.com"})
	profile, sent, snapshot, other, uninvolved := mailbox(), mailbox(), mailbox(), mailbox(), mailbox()
	s.people(user("ann", "Ann", profile), user("bob", "Bob", other), user("eve", "Eve", uninvolved))
	s.call(addAnnotations, made("spring", assigned(annotated("n1",
		wrote("ann", "Hi {{bob}}, {{bob}} and {{bob}}, not {{ann}}", loud, contact("bob", sent)),
		map[string]any{"commentText": "mine", "from": map[string]any{"userId": "guest", "email": snapshot, "name": "Guest"}},
		wrote("bob", "Dear {{guest}}: done", loud),
	), user("dora", "Dora", other))), nil)
	const root, answer = "Hi Bob, Bob and Bob, not Ann", "Dear guest: done"
	s.inBoxes(map[string][]string{
		sent: {root}, other: {root}, profile: {answer}, snapshot: {answer}, uninvolved: {},
	})
	mention, reply, assignment := s.mails(sent, 1)[0], s.mails(profile, 1)[0], s.mails(other, 1)[0]
	require.Equal(t, "Ann mentioned you in “spring”", mention.Subject)
	require.Equal(t, "Bob replied in “spring”", reply.Subject)
	require.Equal(t, "Bob mentioned you in “spring”", s.mails(snapshot, 1)[0].Subject, "mention before reply")
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
	require.Contains(t, head["reply-to"], "desk@stories.example.com")
	require.NotContains(t, head, "list-unsubscribe")
}

func TestMails_4_NobodyOutsideARestrictedAnnotationGetsOne(t *testing.T) {
	s := begin(t)
	s.mailBy(map[string]any{})
	inside, outside := mailbox(), mailbox()
	s.people(user("ann", "Ann", mailbox()), user("bob", "Bob", inside), user("eve", "Eve", outside))
	closed := annotated("n1", wrote("ann", "Inside, {{eve}} and {{bob}}", loud))
	closed["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	s.call(addAnnotations, made("d", closed), nil)
	s.call(addAnnotations, made("d", annotated("n2", wrote("ann", "Outside, {{eve}}", loud))), nil)
	s.inBoxes(map[string][]string{inside: {"Inside, Eve and Bob"}, outside: {"Outside, Eve"}})
}

// Who may not read the document any more by the time that a mail leaves is not
// told; who still may is.
func TestMails_AccessIsLookedAtWhenAMailLeaves(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	s.mailBy(config)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	lost, kept, later := mailbox(), mailbox(), mailbox()
	s.items("users/add", doc("d", map[string]any{
		"createDocument": true, "users": []any{user("bob", "Bob", lost), user("eve", "Eve", kept), user("cat", "Cat", later)},
	}))
	s.call(addAnnotations, made("d", annotated("a", wrote("ann", "Hi {{bob}}, hi {{eve}}", loud))), nil)
	require.True(t, s.items("users/delete", doc("d", map[string]any{"userIds": []string{"bob"}}))["bob"].Success)
	l.start("worker")
	eventually(t, "the mail to who still may read", func() bool { return len(host.Letters()) > 0 })
	s.call(addAnnotations, made("d", annotated("b", wrote("ann", "Hi {{cat}}", loud))), nil)
	eventually(t, "a later mail", func() bool { return len(host.Letters()) > 1 })
	require.Equal(t, []string{kept, later}, []string{host.Letters()[0].To, host.Letters()[1].To})
	require.Len(t, host.Letters(), 2)
}

func TestMails_OffUnlessServiceTriggerAndFlagAreOn(t *testing.T) {
	s := begin(t)
	to, open := mailbox(), mailbox()
	s.people(user("ann", "Ann", to), user("nobody", "Nobody", "not an address"))
	// assigns lets bob answer ann in an annotation that carl is assigned to.
	assigns := func(id, address string, flag map[string]any) {
		s.call(addAnnotations, made("d", assigned(
			annotated(id, wrote("ann", "Root of "+id, flag), wrote("bob", "Reply in "+id, flag)), user("carl", "Carl", address))), nil)
	}
	switches := func(mention, others bool) {
		s.mailBy(map[string]any{"triggers": map[string]any{"comment.mention": mention, "comment.reply": others, "comment_annotation.assign": others}})
	}
	s.mention("bob", to) // the service was never on
	assigns("before", to, loud)
	switches(false, false)
	s.mention("bob", to)
	assigns("off", to, loud)
	switches(true, false)
	assigns("still off", to, loud)
	s.call(addAnnotations, made("d", annotated("n1", wrote("eve", "Hi {{bob}}", contact("bob", to)))), nil) // no flag
	s.call(addAnnotations, made("d", annotated("n2", wrote("eve", "Hi {{nobody}}", loud))), nil)
	s.inBoxes(map[string][]string{to: {}})
	switches(true, true)
	assigns("unflagged", to, nil)
	assigns("on", open, loud)
	s.inBoxes(map[string][]string{to: {"Reply in on"}, open: {"Root of on"}})
}

// A step that waits for people asks them by mail, by their profiles in the
// execution's organization.
func TestMails_ReviewersAreAsked(t *testing.T) {
	s := begin(t)
	ann, eve, elsewhere := mailbox(), mailbox(), mailbox()
	s.people(user("ann", "Ann", ann), user("eve", "Eve", eve))
	s.call("users/add", map[string]any{"organizationId": "other", "createOrganization": true, "users": []any{user("ann", "Ann", elsewhere)}}, nil)
	asking := func(text string) string {
		review := client.Human("review", "ann", "eve", "stranger")
		review.Name = "Sign-off\nby <legal>"
		review.Config["commentBody"] = text
		review.Config["reviewerEmails"] = []string{elsewhere}
		return s.define([]client.Node{review, client.Mock("done")}, client.Approve("review", "done"), client.Reject("review", "done"))
	}
	s.dispatch(asking("The service is off."), at("acme", "")).waitsAt("review")
	s.mailBy(map[string]any{})
	s.dispatch(asking("Nobody is known without an organization.")).waitsAt("review")
	r := s.dispatch(asking("Please read <it>."), at("acme", ""))
	r.waitsAt("review")
	for _, to := range []string{ann, eve} {
		got := s.mails(to, 1)[0]
		require.Contains(t, got.Subject, "Sign-off by <legal>")
		require.Contains(t, got.HTML, "Please read &lt;it&gt;.")
	}
	r.decide("review", "ann", "approve")
	s.mailBy(map[string]any{"triggers": map[string]any{"step.awaiting-approval": false}})
	s.dispatch(asking("The trigger is off."), at("acme", "")).waitsAt("review")
	const asked = "Please read <it>."
	s.inBoxes(map[string][]string{ann: {asked}, eve: {asked}, elsewhere: {}})
}

// Nobody is asked about a step that was cancelled in the commit that began it, nor, by a
// retry, once more who has decided.
func TestMails_ReviewersWhoAreNotWaitedForAreNotAsked(t *testing.T) {
	s := begin(t)
	ann, eve := mailbox(), mailbox()
	s.people(user("ann", "Ann", ann), user("eve", "Eve", eve))
	s.mailBy(map[string]any{})
	asked := func(text string, reviewers ...string) client.Node {
		review := client.Human("review", reviewers...)
		review.Config["commentBody"] = text
		return review
	}
	overtaken := unique("definition")
	s.create(client.Definition{
		DefinitionID: overtaken, Name: "Overtaken",
		Nodes: []client.Node{asked("Overtaken", "ann"), client.Mock("check"), client.Mock("done")}, Edges: []client.Edge{client.Reject("review", "done")},
		Groups: []client.Group{{GroupID: "g", MemberNodeIDs: []string{"review", "check"}, ExpectedSteps: 2, Quorum: 1, OnQuorumMet: "cancelOnQuorum"}},
	})
	s.dispatch(overtaken, at("acme", "")).ends("completed")

	s.fails("/call")
	r := s.dispatch(s.define([]client.Node{asked("Once", "ann", "eve"), client.Human("first", "boss"), client.Hook("call", s.receiver().URL("/call")), client.Mock("done")},
		client.Reject("review", "done"), client.Approve("first", "call"), client.Reject("first", "done")), at("acme", ""))
	r.waitsAt("review")
	r.decide("review", "ann", "approve")
	r.decide("first", "boss", "approve")
	r.ends("failed")
	r.retry()
	s.inBoxes(map[string][]string{ann: {"Once"}, eve: {"Once", "Once"}})
}

// Who is put in a reviewer's place is asked as the first one was: nobody else, nobody once
// more by a repetition, nobody who took the step over, and not while the trigger is off.
func TestMails_WhoComesInAReviewersPlaceIsAsked(t *testing.T) {
	s := begin(t)
	ann, bob, eve, opt := mailbox(), mailbox(), mailbox(), mailbox()
	s.people(user("ann", "Ann", ann), user("bob", "Bob", bob), user("eve", "Eve", eve), user("opt", "Opt", opt))
	s.mailBy(map[string]any{})
	asking := func(text string) *run {
		review := client.Human("review", "ann", "opt")
		review.Config["commentBody"] = text
		r := s.dispatch(s.define([]client.Node{review, client.Mock("done")}, client.Approve("review", "done"), client.Reject("review", "done")), at("acme", ""))
		r.waitsAt("review")
		return r
	}
	r := asking("Handed on")
	r.reassign("ann", "bob")
	r.reassign("ann", "bob")
	got := s.mails(bob, 1)[0]
	require.Contains(t, got.Subject, "review")
	r.reassign("bob", "stranger")
	r.reassign("stranger", "ann")

	took := asking("Taken over")
	data := took.reassigning("ann", "eve")
	data["actorId"] = "eve"
	s.call(reassignStep, data, nil)
	s.mails(ann, 3)
	s.mails(opt, 2)
	s.mailBy(map[string]any{"triggers": map[string]any{"step.awaiting-approval": false}})
	took.reassign("eve", "bob")
	s.inBoxes(map[string][]string{ann: {"Handed on", "Handed on", "Taken over"}, bob: {"Handed on"}, eve: {}, opt: {"Handed on", "Taken over"}})
}
