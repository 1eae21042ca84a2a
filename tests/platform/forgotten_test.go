package platform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"google.golang.org/protobuf/proto"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// forgotten is one test of a person who is erased.
type forgotten struct {
	*overheard

	env *kit.Env
	who kit.Person
	// other is beside them, and stays.
	other string
	// mails are those of the workspace, once its host lets them in.
	mails *receiver.MailHost
}

// reviews lets the person be asked: of one execution that has ended by their decision, and of one that waits for them.
func (f *forgotten) reviews() (waiting *kit.Run) {
	env := f.env
	env.T.Helper()
	f.env.Receiver().Answer("/reviews", receiver.Answer{Status: 200})
	definition := kit.Define(env, []redline.NodeInput{client.Human("review", f.who.ID), client.Mock("end")}, client.Both("review", "end")...)
	about := func(d *redline.DispatchRequest) {
		d.TriggerContext, d.OrganizationID, d.DocumentID = map[string]any{"author": f.who.User(), "by": f.who.Email}, new("acme"), new("d")
		d.WebhookURL, d.WebhookSecret = new(env.Receiver().URL("/reviews")), new(kit.Secret)
	}
	decided := kit.Dispatch(env, definition, about)
	step := decided.WaitsAt("review")
	env.Call(client.RecordDecision, map[string]any{
		"executionId": decided.ID, "stepId": step.StepID, "reviewerId": f.who.ID, "decision": "approve", "reason": "So it is.",
	}, nil)
	decided.Ends("completed")
	decided.Delivered()
	waiting = kit.Dispatch(env, definition, about)
	waiting.WaitsAt("review")
	return waiting
}

// waits leaves a message that an endpoint does not take, and a mail that no host lets in.
func (f *forgotten) waits() {
	env := f.env
	env.T.Helper()
	var config map[string]any
	f.mails, config = kit.OwnHost(env)
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": true, "emailServiceConfig": config}, nil)
	kit.Mention(env, f.who.ID, f.who.Email)
	env.Receiver().Answer("/told", receiver.Answer{Status: 500})
	kit.Mention(env, f.who.ID, f.who.Email)
	env.Arrived("/told", func(requests []receiver.Request) bool {
		return len(requests) > 0 && strings.Contains(string(requests[len(requests)-1].Body), f.who.ID)
	})
}

// inHistories returns the runs in whose histories, memos or attributes one of the marks stands.
func (f *forgotten) inHistories(o *kit.TemporalClient) (found []string) {
	ctx := f.T.Context()
	for _, run := range o.Search("") {
		kept, err := proto.Marshal(run)
		require.NoError(f.T, err)
		events := o.GetWorkflowHistory(ctx, run.GetExecution().GetWorkflowId(), run.GetExecution().GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				break // it goes just now
			}
			text, err := proto.Marshal(event)
			require.NoError(f.T, err)
			kept = append(kept, text...)
		}
		for _, mark := range f.who.Marks() {
			if strings.Contains(string(kept), mark) {
				found = append(found, run.GetType().GetName()+" "+run.GetExecution().GetWorkflowId())
			}
		}
	}
	return found
}

// readers are calls that show what is kept.
func (f *forgotten) readers() map[string]map[string]any {
	org, doc := kit.InAcme(map[string]any{}), kit.InAcme(kit.InDocument("d"))
	return map[string]map[string]any{
		client.GetAnnotations: doc, client.GetNotifications: kit.With(org, map[string]any{"userId": f.other}), client.GetActivities: org, client.GetUsers: org, client.GetGroups: org, client.GetDocuments: org,
		client.GetOrganizations: {}, client.QueryJudgments: {}, client.GetPatterns: {}, client.ListAlerts: {"status": "dismissed"}, client.GetInvitations: org, client.ListExecutions: {}, client.ListSteps: {"reviewerId": f.other},
		client.GetMessages: {"includePayload": true}, client.ListAgentGroups: {}, client.GetUserData: kit.With(org, map[string]any{"userId": f.other}),
	}
}

func TestUsersDataDelete_5_NobodyKnowsThePersonAnyMore(t *testing.T) {
	f := &forgotten{overheard: overhear(kit.NewIsolatedStack(t)), who: kit.NewPerson(), other: kit.Unique("other")}
	f.env = f.NewWorkspace(f.all)
	env, marks, temporal := f.env, f.who.Marks(), kit.TemporalClientAt(t, f.Stack, f.Namespace)
	person := kit.FollowPerson(f.who)
	kit.TakesPart(env, f.who, f.other)
	kit.StandsEverywhere(env, f.who, f.other)
	f.acts()
	waiting := f.reviews()
	f.waits()
	for what, found := range map[string]func() []string{
		"rows": func() []string { return kit.RowsWith(env, marks) }, "files": func() []string { return kit.FilesWith(env, marks) },
		"objects": func() []string { return kit.ObjectsWith(env, marks) }, "histories": func() []string { return f.inHistories(temporal) },
	} {
		kit.RequireWithin(t, kit.Patience, what+" have them", func() bool { return len(found()) > 0 })
	}

	kit.PersonJobDone(env, client.EraseUserData, client.ErasureStatus, map[string]any{"userIds": []string{f.who.ID}})
	require.Empty(t, person.Missing(), "all that can hold a person has held this one")
	told := len(env.Receiver().Requests("/told"))
	env.Receiver().Answer("/told", receiver.Answer{Status: 200})
	require.NoError(t, f.mails.Open())

	require.Empty(t, kit.RowsWith(env, marks))
	for operation, data := range f.readers() {
		var answer json.RawMessage
		env.Call(operation, data, &answer)
		for _, mark := range marks {
			require.NotContains(t, string(answer), mark, operation)
		}
	}
	kit.RequireWithin(t, kit.IngestionTime, "the index has nothing of them", func() bool { return len(kit.ObjectsWith(env, marks)) == 0 })
	kit.RequireWithin(t, kit.IngestionTime, "files have nothing of them", func() bool { return len(kit.FilesWith(env, marks)) == 0 })
	kit.RequireWithin(t, kit.Patience, "histories have nothing of them", func() bool { return len(f.inHistories(temporal)) == 0 })
	f.goesOn(temporal, waiting, told)
	f.AtRest()
	heard := f.stop()
	delete(heard, theHistories) // what Temporal was asked is gone with the histories
	tellsNone(t, heard, marks)
}

// goesOn proves that what waited goes on without the person: the execution for the pseudonym, which an operator puts
// somebody in the place of, messages and mails to others with none of the marks.
func (f *forgotten) goesOn(o *kit.TemporalClient, waiting *kit.Run, told int) {
	env := f.env
	env.T.Helper()
	o.Find(waiting, "a run drives it again", func(*workflowpb.WorkflowExecutionInfo) bool { return true })
	step := waiting.WaitsAt("review")
	pseudonym := step.Metadata.Reviewers[0].UserID
	env.Call(client.ReassignStep, map[string]any{
		"executionId": waiting.ID, "stepId": step.StepID, "fromReviewerId": pseudonym, "toReviewerId": f.other, "actorId": f.other, "reason": "They left.",
	}, nil)
	env.Call(client.RecordDecision, map[string]any{"executionId": waiting.ID, "stepId": step.StepID, "reviewerId": f.other, "decision": "approve"}, nil)
	waiting.Ends("completed")
	to := kit.Mailbox()
	kit.Mention(env, f.other, to)
	kit.RequireEventually(env.T, "a mail to somebody else", func() bool { return len(f.mails.Letters()) > 0 })
	for _, letter := range f.mails.Letters() {
		require.NotEqual(env.T, strings.ToLower(f.who.Email), strings.ToLower(letter.To))
	}
	kit.RequireEventually(env.T, "a message of later", func() bool { return len(env.Receiver().Requests("/told")) > told })
	for _, request := range env.Receiver().Requests("/told")[told:] {
		for _, mark := range f.who.Marks() {
			require.NotContains(env.T, string(request.Body), mark)
		}
	}
}
