package clients

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// newClient returns the Go client of a new workspace.
func newClient(t *testing.T, options ...redline.Option) *redline.Client {
	t.Helper()
	return clientOf(kit.NewWorkspace(t), options...)
}

func clientOf(env *kit.Env, options ...redline.Option) *redline.Client {
	env.T.Helper()
	held := env.Keyed.Headers
	options = append([]redline.Option{
		redline.WithBaseURL(env.Keyed.BaseURL), redline.WithAPIKey(held["x-svc-api-key"], held["x-svc-auth-token"]),
	}, options...)
	client, err := redline.New(options...)
	require.NoError(env.T, err)
	return client
}

// lossy sends every call, and loses the answer of one of three.
type lossy struct{ calls, lost atomic.Int64 }

func (l *lossy) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || l.calls.Add(1)%3 != 0 {
		return answer, err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	l.lost.Add(1)
	return nil, errors.New("the answer is lost")
}

// signOff is a definition with one person who decides.
func signOff(t *testing.T, client *redline.Client) string {
	t.Helper()
	created, err := client.Definitions.Create(t.Context(), redline.DefinitionRequest{
		DefinitionID: kit.Unique("sign-off"), Name: "Sign-off",
		Nodes: []redline.NodeInput{{
			NodeID: "sign-off", Type: redline.NodeInputTypeHuman,
			Config: map[string]any{"reviewers": []map[string]any{{"userId": "u_editor", "mandatory": true}}},
		}, {NodeID: "declined", Type: redline.NodeInputTypeAgent, Config: map[string]any{"agentId": "__mock__"}}},
		Edges: []redline.EdgeInput{{From: "sign-off", To: "declined", On: new(redline.EdgeInputOnReject)}},
	})
	require.NoError(t, err)
	return created.DefinitionID
}

// atOnce makes n calls, sixteen at once.
func atOnce(t *testing.T, n int, call func(i int) error) {
	t.Helper()
	var failed atomic.Pointer[error]
	var callers sync.WaitGroup
	next := atomic.Int64{}
	for range 16 {
		callers.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := call(int(i)); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	callers.Wait()
	if err := failed.Load(); err != nil {
		require.NoError(t, *err)
	}
}

func TestGo_LostAnswersDoubleNoDispatch(t *testing.T) {
	const dispatches = 1000
	network := &lossy{}
	env := kit.NewWorkspace(t)
	client := clientOf(env, redline.WithHTTPClient(&http.Client{Transport: network}), redline.WithRetries(9))
	definition := signOff(t, clientOf(env))
	var ids sync.Map
	atOnce(t, dispatches, func(int) error {
		started, err := client.Executions.Dispatch(t.Context(), redline.DispatchRequest{DefinitionID: definition})
		ids.Store(started.ExecutionID, true)
		return err
	})
	require.Greater(t, network.lost.Load(), int64(dispatches/4))
	seen := 0
	for execution, err := range client.Executions.ListAll(t.Context(), redline.ListExecutionsRequest{PageSize: new(int64(100))}) {
		require.NoError(t, err)
		_, answered := ids.Load(execution.ExecutionID)
		require.True(t, answered, "an execution that nobody was told of")
		seen++
	}
	require.Equal(t, dispatches, seen)
}

func TestGo_LostAnswersDoubleNoAnnotationCommentOrActivity(t *testing.T) {
	const adds = 1000
	network := &lossy{}
	env := kit.NewWorkspace(t)
	steady := clientOf(env)
	client := clientOf(env, redline.WithHTTPClient(&http.Client{Transport: network}), redline.WithRetries(9))
	author := redline.UserInput{UserID: "u_ann", Name: new("Ann")}
	comment := func(text string) redline.CommentInput {
		return redline.CommentInput{CommentText: new(text), From: author}
	}
	add := redline.AddAnnotationsRequest{
		OrganizationID: "acme", DocumentID: "d", CreateOrganization: new(true), CreateDocument: new(true),
		CommentAnnotations: []redline.AnnotationInput{{AnnotationID: new("thread"), CommentData: []redline.CommentInput{comment("first")}}},
	}
	_, err := steady.Annotations.Add(t.Context(), add)
	require.NoError(t, err)
	var told sync.Map
	atOnce(t, adds, func(i int) error {
		mine := add
		mine.CommentAnnotations = []redline.AnnotationInput{{CommentData: []redline.CommentInput{comment("a"), comment("b")}}}
		added, err := client.Annotations.Add(t.Context(), mine)
		for id, one := range added {
			told.Store(id, one.CommentIds)
		}
		if err != nil || i%4 != 0 {
			return err
		}
		_, err = client.Comments.Add(t.Context(), redline.AddCommentsRequest{OrganizationID: "acme", DocumentID: "d", AnnotationID: "thread", CommentData: []redline.CommentInput{comment("c")}})
		return err
	})
	require.Greater(t, network.lost.Load(), int64(adds/4))
	seen := 0
	for annotation, err := range steady.Annotations.GetAll(t.Context(), redline.FindAnnotationsRequest{OrganizationID: "acme", DocumentIds: []string{"d"}, PageSize: new(int64(1000))}) {
		require.NoError(t, err)
		if annotation.AnnotationID == "thread" {
			require.Len(t, annotation.Comments, 1+adds/4)
			continue
		}
		ids, answered := told.Load(annotation.AnnotationID)
		require.True(t, answered)
		require.Equal(t, []int64{annotation.Comments[0].CommentID, annotation.Comments[1].CommentID}, ids)
		seen++
	}
	require.Equal(t, adds, seen)
}

func TestGo_ATaskFromDispatchToTheEnd(t *testing.T) {
	env := kit.NewWorkspace(t)
	client := clientOf(env)
	definition := signOff(t, client)
	started, err := client.Executions.Dispatch(t.Context(), redline.DispatchRequest{DefinitionID: definition})
	require.NoError(t, err)
	waiting, err := client.WaitForStep(t.Context(), redline.ListStepsRequest{ReviewerID: new("u_editor"), ExecutionID: &started.ExecutionID})
	require.NoError(t, err)
	_, err = client.Steps.RecordReviewerDecision(t.Context(), redline.DecideStepRequest{
		ExecutionID: started.ExecutionID, StepID: waiting.StepID, ReviewerID: "u_editor", Decision: redline.DecideStepRequestDecisionApprove,
	})
	require.NoError(t, err)
	ended, err := client.WaitForExecution(t.Context(), started.ExecutionID)
	require.NoError(t, err)
	require.Equal(t, redline.ExecutionStatusCompleted, ended.Status)
}

func TestGo_AnErrorNamesItsFieldAndItsRequest(t *testing.T) {
	client := newClient(t)
	_, err := client.Executions.Dispatch(t.Context(), redline.DispatchRequest{DefinitionID: "nowhere"})
	require.True(t, redline.IsNotFound(err))
	_, err = client.Users.Get(t.Context(), redline.GetUsersRequest{OrganizationID: strings.Repeat("x", 201)})
	refused := redline.AsError(err)
	require.Equal(t, []string{"organizationId"}, refused.Issues[0].Path)
	require.NotEmpty(t, refused.RequestID)
}

func TestGo_AFileIsSearchableWhenItsUploadReturns(t *testing.T) {
	client := newClient(t)
	text := []byte("# Style guide\n\nHeadlines must be in sentence case.\n")
	stages := 0
	source, err := client.Upload(t.Context(), redline.Upload{
		FileName: "guide.txt", MimeType: redline.UploadURLRequestMimeTypeTextPlain, Size: int64(len(text)), Content: bytes.NewReader(text),
		Progress: func(redline.IngestProgress) { stages++ },
	})
	require.NoError(t, err)
	require.Equal(t, redline.IngestStatusStatusCompleted, source.Status)
	require.Positive(t, stages)
	found, err := client.Knowledge.Search(t.Context(), redline.KnowledgeSearchRequest{Query: "sentence case"})
	require.NoError(t, err)
	require.Equal(t, source.SourceID, found.Results[0].SourceID)
}

func TestGo_AReceiverVerifiesWhatItIsSent(t *testing.T) {
	env := kit.NewWorkspace(t)
	client := clientOf(env)
	receiver := env.Receiver()
	_, err := client.Workspace.UpdateAdvancedWebhookConfig(t.Context(), redline.UpdateWebhookSettingsRequest{IsEnabled: new(true)})
	require.NoError(t, err)
	endpoint, err := client.Endpoints.Create(t.Context(), redline.CreateEndpointRequest{URL: receiver.URL("/told")})
	require.NoError(t, err)
	secret, err := client.Endpoints.GetSecret(t.Context(), redline.GetEndpointSecretRequest{EndpointID: endpoint.ID})
	require.NoError(t, err)
	_, err = client.Endpoints.Test(t.Context(), redline.TestEndpointRequest{EndpointID: endpoint.ID, EventType: new("comment.add")})
	require.NoError(t, err)
	kit.RequireEventually(t, "the endpoint is told", func() bool { return len(receiver.Requests("/told")) > 0 })
	request := receiver.Requests("/told")[0]
	event, err := redline.Verify(secret.Secret, request.Header, request.Body)
	require.NoError(t, err)
	require.Equal(t, "comment.add", event.Event)
	_, err = redline.Verify("whsec_"+base64.StdEncoding.EncodeToString(make([]byte, 32)), request.Header, request.Body)
	require.ErrorIs(t, err, redline.ErrSignature)
	_, err = redline.Verify(secret.Secret, request.Header, append(request.Body, ' '))
	require.ErrorIs(t, err, redline.ErrSignature)
}
