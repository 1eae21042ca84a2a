package envelope

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// read is a body as a receiver reads it.
type read struct {
	Event, ActionType, Source, WebhookID, Timestamp string
	Sequence                                        int64
	Data                                            map[string]any
}

func readBody(t require.TestingT, body []byte) read {
	var got read
	require.NoError(t, json.Unmarshal(body, &got), "%s", body)
	return got
}

func TestBodyOfMessage(t *testing.T) {
	t.Parallel()
	body, err := Message{
		ID: "msg_1", Event: "comment_annotation.status_change", At: time.Date(2026, 5, 6, 7, 8, 9, 12_345_678, time.FixedZone("east", 7200)),
		Sequence: 7, Data: map[string]any{"n": json.RawMessage("12345678901234567890.10"), "h": "<a&b>"},
		Metadata: Metadata{APIKey: "ak_1", Organization: json.RawMessage(`{"organizationId":"acme"}`)},
	}.Body(Form{})
	require.NoError(t, err)
	want := `{"event":"comment_annotation.status_change","actionType":"statusChange","source":"comment","webhookId":"msg_1",` +
		`"timestamp":"2026-05-06T05:08:09.012Z","sequence":7,"data":{"h":"<a&b>","n":12345678901234567890.10,` +
		`"metadata":{"apiKey":"ak_1","organization":{"organizationId":"acme"}}}}`
	assert.Equal(t, []byte(want), body, "%s", body)
	_, err = Message{Event: "no.such", Data: json.RawMessage("{}")}.Body(Form{})
	require.ErrorContains(t, err, "no.such")
}

func TestActionTypes(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		"comment.add": "add", "comment_annotation.status_change": "statusChange", "step.awaiting-approval": "awaitingApproval",
		"execution.completed": "completed", "comment_annotation.suggestion_accept": "suggestionAccept", "group.quorum-met": "quorumMet",
		"message.attempt.exhausted": "exhausted",
	} {
		assert.Equal(t, want, ActionType(event), event)
	}
}

func TestEverySampleIsAWholeEnvelope(t *testing.T) {
	t.Parallel()
	before := ""
	for _, e := range Events() {
		assert.Less(t, before, e.Name, "the types stand in the order of their names, each once")
		before = e.Name
		got := readBody(t, e.Sample())
		assert.Equal(t, e.Name, got.Event)
		assert.NotEmpty(t, got.ActionType, e.Name)
		assert.NotEmpty(t, e.Description, e.Name)
		assert.Contains(t, []string{SourceComment, SourceWorkflow, SourceMemory, SourceWebhook}, got.Source, e.Name)
		assert.NotEmpty(t, got.WebhookID, e.Name)
		assert.NotContains(t, got.WebhookID, ".", e.Name)
		_, err := time.Parse(time.RFC3339Nano, got.Timestamp)
		require.NoError(t, err, e.Name)
		assert.Positive(t, got.Sequence, e.Name)
		assert.NotEmpty(t, got.Data, e.Name)
		assert.Equal(t, e.InDocument, got.Data["metadata"] != nil, e.Name)
	}
}

func TestProtectedSamplesHaveNoPersonalData(t *testing.T) {
	t.Parallel()
	for _, e := range Events() {
		body, err := Message{ID: "msg_1", Event: e.Name, Data: e.Data, Metadata: e.SampleMetadata()}.Body(Form{Protected: true})
		require.NoError(t, err)
		for _, personal := range []string{
			`"Ann"`, `"Bob"`, "ann@", "initial", "Please", "Acme", "Spring", "Page 3", "commentText", "commentHtml", "context", "handbook",
			"holidays", "withdrawn", "on leave", "too long", "message\":",
		} {
			assert.NotContains(t, string(body), personal, e.Name)
		}
		if e.InDocument {
			assert.Contains(t, string(body), `"metadata":{"apiKey":"ak_01jd8p3y5t7c2m0w9x4v6k8r1q","organization":{"organizationId":"acme"},"document":{"documentId":"spring"}}`)
		}
	}
}

func TestProtectedKeepsIDsStatesNumbersAndTimes(t *testing.T) {
	t.Parallel()
	annotation, _ := Find(CommentAdd)
	body, err := Message{Event: CommentAdd, Data: annotation.Data}.Body(Form{Protected: true})
	require.NoError(t, err)
	for _, stays := range []string{
		`"annotationId":"ann_01kdvm9w00abcdefghjkmnpqrs"`, `"documentId":"spring"`, `"folderId":null`, `"createdAt":1767225600000`,
		`"status":{"id":"OPEN","type":"default"}`, `"from":{"userId":"u_ann"}`, `"commentCount":1`, `"location":{"id":"page-3"}`,
		`"visibility":{"type":"public"}`, `"lastUpdated":"2026-01-01T00:00:00.000Z"`, `"actionUser":{"userId":"u_ann"}`,
	} {
		assert.Contains(t, string(body), stays)
	}
	step, _ := Find("step.failed")
	body, err = Message{Event: "step.failed", Data: step.Data}.Body(Form{Protected: true})
	require.NoError(t, err)
	assert.Contains(t, string(body), `"stepId":"step_sign-off_i1_a1_0123456789ab","status":"failed",`+
		`"data":{"error":{"code":"webhook-http-status"},"httpStatus":500,"latencyMs":12,"retryClass":"transient"}`)
}

// A caller's own key with the name of one of ours stays out as well, wherever
// the callers may write keys.
func TestProtectedLeavesOutWhateverIsNotOurs(t *testing.T) {
	t.Parallel()
	data := `{"commentAnnotation":{"context":{"status":"mine"},"from":{"userId":"u","status":"mine","custom":{"userId":"mine"}},` +
		`"suggestion":{"status":"pending","newValue":{"id":"mine"}},"targetElement":"mine"},"triggerContext":{"id":"mine"}}`
	body, err := Message{Event: CommentAdd, Data: json.RawMessage(data), Metadata: Metadata{
		Organization: json.RawMessage(`{"organizationId":"acme","status":"mine"}`),
	}}.Body(Form{Protected: true})
	require.NoError(t, err)
	assert.NotContains(t, string(body), "mine")
	assert.Contains(t, string(body), `"suggestion":{"status":"pending"}`)
}

// thread is the data of an added comment, in a thread with others of that size.
func thread(others, size int) json.RawMessage {
	comment := func(id, size int) string {
		return fmt.Sprintf(`{"commentId":%d,"commentText":"%s","from":{"userId":"u_ann"}}`, id, strings.Repeat("x", size))
	}
	comments := []string{comment(1, 10)}
	for i := range others {
		comments = append(comments, comment(i+2, size))
	}
	return json.RawMessage(`{"commentAnnotation":{"annotationId":"a1","comments":[` + strings.Join(comments, ",") +
		`]},"targetComment":` + comment(1, 10) + `}`)
}

func TestLargeBodyLosesOtherCommentsFirst(t *testing.T) {
	t.Parallel()
	body, err := Message{Event: CommentAdd, Data: thread(5, 60_000)}.Body(Form{})
	require.NoError(t, err)
	assert.Less(t, len(body), MaxBody)
	data := readBody(t, body).Data
	assert.Equal(t, true, data["truncated"])
	comments := data["commentAnnotation"].(map[string]any)["comments"].([]any)
	require.Len(t, comments, 1)
	assert.Equal(t, data["targetComment"], comments[0])

	whole, err := Message{Event: CommentAdd, Data: thread(5, 6000)}.Body(Form{})
	require.NoError(t, err)
	assert.NotContains(t, string(whole), "truncated")
}

func TestLargestBodyHasIDsOnly(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("y", MaxBody)
	data := `{"commentAnnotation":{"annotationId":"a1","context":{"h":"` + huge + `"},"comments":[{"commentId":3}],"createdAt":5,` +
		`"visibility":{"userIds":["u1"]}},"targetComment":{"commentId":3,"commentText":"` + huge + `"},"stepId":null}`
	body, err := Message{Event: CommentAdd, Data: json.RawMessage(data), Metadata: Metadata{
		APIKey: "ak_1", Document: json.RawMessage(`{"documentId":"d","documentName":"` + huge + `"}`),
	}}.Body(Form{})
	require.NoError(t, err)
	assert.Equal(t, `{"commentAnnotation":{"annotationId":"a1","comments":[{"commentId":3}],"visibility":{}},"targetComment":{"commentId":3},`+
		`"stepId":null,"metadata":{"apiKey":"ak_1","document":{"documentId":"d"}},"truncated":true}`, string(dataOf(t, body)))
}

func dataOf(t *testing.T, body []byte) json.RawMessage {
	t.Helper()
	var got struct{ Data json.RawMessage }
	require.NoError(t, json.Unmarshal(body, &got))
	return got.Data
}

// However large a thread is and however it is wrapped, what is sent fits.
func TestBodyAlwaysFits(t *testing.T) {
	t.Parallel()
	forms := []Form{{}, {Protected: true}, {Encoded: true}, {Key: &testKey(t).PublicKey}}
	rapid.Check(t, func(t *rapid.T) {
		data := thread(rapid.IntRange(0, 19).Draw(t, "others"), rapid.IntRange(0, 64<<10).Draw(t, "size"))
		form := rapid.SampledFrom(forms).Draw(t, "form")
		body, err := Message{Event: CommentAdd, Data: data}.Body(form)
		require.NoError(t, err)
		require.LessOrEqual(t, len(body), MaxBody)
	})
}

// drawnIDs is an object about a comment whose ids and lists are as long as they are
// drawn, in letters that JSON writes in one byte, in two, or as an escape of six.
func drawnIDs(t *rapid.T) json.RawMessage {
	letter := rapid.SampledFrom([]string{"x", "é", `\u2028`})
	id := func(most int, name string) string {
		return `"` + strings.Repeat(letter.Draw(t, name+" letter"), rapid.IntRange(0, most).Draw(t, name)) + `"`
	}
	list := func(item, name string) string {
		return "[" + strings.Join(slices.Repeat([]string{item}, rapid.IntRange(0, 100).Draw(t, name)), ",") + "]"
	}
	comment := fmt.Sprintf(`{"commentId":1,"from":{"userId":%s},"taggedUserContacts":%s,"agent":{"reason":{"findingId":%s}}}`,
		id(200, "author"), list(`{"userId":`+id(200, "contact")+`}`, "contacts"), id(10_000, "finding"))
	return json.RawMessage(fmt.Sprintf(`{"commentAnnotation":{"annotationId":%s,"comments":[%s],"visibility":{"userIds":%s},"agent":{"agentId":%s},`+
		`"targetElement":{"elementId":%s}},"targetComment":%s,"accessDeniedUsers":%s,"correlationId":%s}`,
		id(200, "annotation"), strings.Join(slices.Repeat([]string{comment}, rapid.IntRange(1, 20).Draw(t, "comments")), ","), list(id(200, "seer"), "seers"),
		id(10_000, "agent"), id(1000, "element"), comment, list(id(200, "denied"), "denied ones"), id(64<<10, "correlation")))
}

// However long ids and lists of them are: no change fails because of its message.
func TestBodyOfLongIDsFits(t *testing.T) {
	t.Parallel()
	forms := []Form{{}, {Protected: true}, {Encoded: true}, {Key: &testKey(t).PublicKey}}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "form")
		data := drawnIDs(t)
		body, err := Message{ID: "msg_1", Event: CommentAdd, Data: data}.Body(form)
		require.NoError(t, err)
		require.LessOrEqual(t, len(body), MaxBody)
		if form.Key == nil && !form.Encoded && !form.Protected && len(data) > MaxBody {
			require.Equal(t, true, readBody(t, body).Data["truncated"])
		}
	})
}

// What is left of a body goes step by step: lists and long ids before short ones,
// and these only where they are too many as well.
func TestBodyKeepsAsManyIDsAsFit(t *testing.T) {
	t.Parallel()
	finding := strings.Repeat("é", 10_000)
	comments := make([]string, 20)
	for i := range comments {
		comments[i] = fmt.Sprintf(`{"commentId":%d,"agent":{"reason":{"findingId":%q}}}`, i+1, finding)
	}
	body, err := Message{Event: CommentAdd, Data: json.RawMessage(`{"commentAnnotation":{"annotationId":"a1","comments":[` + strings.Join(comments, ",") +
		`]},"targetComment":` + comments[4] + `}`)}.Body(Form{})
	require.NoError(t, err)
	assert.Equal(t, `{"commentAnnotation":{"annotationId":"a1","comments":[`+comments[4]+`]},"targetComment":`+comments[4]+`,"truncated":true}`,
		string(dataOf(t, body)), "other comments go first, and that is enough")

	long := strings.Repeat("x", MaxBody)
	body, err = Message{Event: CommentAdd, Data: json.RawMessage(`{"commentAnnotation":{"annotationId":"a1","comments":[` + comments[4] +
		`]},"targetComment":{"commentId":5},"correlationId":"` + long + `"}`)}.Body(Form{})
	require.NoError(t, err)
	assert.Equal(t, `{"commentAnnotation":{"annotationId":"a1"},"targetComment":{"commentId":5},"truncated":true}`, string(dataOf(t, body)))

	many := strings.Repeat(`"correlationId":"x",`, MaxBody/10)
	body, err = Message{Event: CommentAdd, Data: json.RawMessage(`{` + many + `"stepId":null}`)}.Body(Form{})
	require.NoError(t, err)
	assert.Equal(t, `{"truncated":true}`, string(dataOf(t, body)))
}

func TestProtectedKeepsWhichOccurrenceIsMeant(t *testing.T) {
	t.Parallel()
	element := `{"elementId":"e","targetText":"mine","occurrence":3}`
	body, err := Message{Event: CommentAdd, Data: json.RawMessage(`{"commentAnnotation":{"targetElement":` + element + `},"changes":{"targetElement":{"from":` +
		element + `,"to":null}}}`)}.Body(Form{Protected: true})
	require.NoError(t, err)
	left := `{"elementId":"e","occurrence":3}`
	assert.Equal(t, `{"commentAnnotation":{"targetElement":`+left+`},"changes":{"targetElement":{"from":`+left+`,"to":null}}}`, string(dataOf(t, body)))
}

func TestNamedTypesAreInTheList(t *testing.T) {
	t.Parallel()
	for _, name := range []string{AnnotationAdd, AnnotationAssign, CommentAdd, CommentUpdate, IngestCompleted, IngestFailed, Exhausted, EndpointDisabled, Test} {
		_, known := Find(name)
		assert.True(t, known, name)
	}
}

func TestABodyOfIDsOnlySaysSo(t *testing.T) {
	t.Parallel()
	body, err := Message{Event: CommentAdd, Data: thread(2, 10), Metadata: Metadata{APIKey: "ak_1"}}.Body(Form{IDsOnly: true})
	require.NoError(t, err)
	data := readBody(t, body).Data
	assert.Equal(t, true, data["truncated"])
	assert.Equal(t, "a1", data["commentAnnotation"].(map[string]any)["annotationId"])
	assert.Equal(t, map[string]any{"apiKey": "ak_1"}, data["metadata"])
	assert.NotContains(t, string(body), "commentText")
	huge := json.RawMessage(`{"annotationId":"` + strings.Repeat("y", MaxBody) + `","stepId":"s"}`)
	body, err = Message{Event: CommentAdd, Data: huge}.Body(Form{IDsOnly: true})
	require.NoError(t, err)
	assert.Less(t, len(body), MaxBody)
	assert.Equal(t, map[string]any{"stepId": "s", "truncated": true}, readBody(t, body).Data)
}
