package webhook

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// decrypted reads an encrypted body as the documentation says.
func decrypted(t *testing.T, key *rsa.PrivateKey, body []byte) []byte {
	t.Helper()
	var sent map[string][]byte
	require.NoError(t, json.Unmarshal(body, &sent))
	require.Len(t, sent, 3)
	content, err := rsa.DecryptOAEP(sha256.New(), nil, key, sent["encryptedKey"], nil)
	require.NoError(t, err)
	require.Len(t, content, 32)
	block, err := aes.NewCipher(content)
	require.NoError(t, err)
	data := sent["encryptedData"]
	cipher.NewCBCDecrypter(block, sent["iv"]).CryptBlocks(data, data)
	return data[:len(data)-int(data[len(data)-1])]
}

func TestBodies_TheEnvelopeOfAComment(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment.add"}})
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a1", kit.Wrote("ann", "Größe <b>", kit.Loud, map[string]any{"context": map[string]any{"f": json.Number("0.1000"), "n": json.Number("12345678901234567890")}}))))
	m := kit.Heard(env, "/told", 1)[0]
	body := env.Receiver().Requests("/told")[0].Body
	at := 0
	for _, name := range []string{"event", "actionType", "source", "webhookId", "timestamp", "sequence", "data"} {
		next := strings.Index(string(body)[at:], `"`+name+`":`)
		require.GreaterOrEqual(t, next, 0, "%s in %s", name, body)
		at += next
	}
	assert.Equal(t, []string{"comment.add", "add", "comment"}, []string{m.Event, m.ActionType, m.Source})
	assert.Regexp(t, `^msg_[0-9a-z]+$`, m.WebhookID)
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, m.Timestamp)
	var data struct {
		CommentAnnotation struct{ AnnotationID string }
		TargetComment     struct{ CommentText string }
		ActionUser        struct{ UserID string }
		Metadata          map[string]any
	}
	require.NoError(t, json.Unmarshal(m.Data, &data))
	assert.Equal(t, []string{"a1", "Größe <b>", "ann"}, []string{data.CommentAnnotation.AnnotationID, data.TargetComment.CommentText, data.ActionUser.UserID})
	assert.Equal(t, map[string]any{
		"apiKey": env.Workspace.APIKey, "organization": map[string]any{"organizationId": "acme", "organizationName": "acme"},
		"document": map[string]any{"documentId": "spring", "documentName": "spring"},
	}, data.Metadata)
	assert.Contains(t, string(body), `{"f":0.1000,"n":12345678901234567890}`, "numbers as they were sent")
}

func TestBodies_TheEnvelopeOfAnExecution(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	r.Ends("completed")
	events := r.Events()
	messages := kit.Heard(env, "/told", len(events))
	for i, m := range messages {
		var data map[string]any
		require.NoError(t, json.Unmarshal(m.Data, &data))
		assert.Equal(t, []any{events[i].Type, "workflow", r.ID, events[i].EventID, float64(events[i].Seq), r.CorrelationID},
			[]any{m.Event, m.Source, data["executionId"], data["eventId"], data["seq"], data["correlationId"]})
	}
	var last map[string]any
	require.NoError(t, json.Unmarshal(messages[len(messages)-1].Data, &last))
	step, there := last["stepId"]
	assert.True(t, there && step == nil)
}

func TestBodies_5and6_EncodedAndEncryptedAreSignedAsSent(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	key, public := kit.EncryptionKey(t)
	e := kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment.add"}})
	secret := kit.SecretOf(env, e.ID)
	env.Call(client.SetHooks, map[string]any{"encodeData": true}, nil)
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a1", kit.Wrote("ann", "one", kit.Loud))))
	encoded := env.Arrived("/told", receiver.Count(1))[0]
	require.NoError(t, receiver.VerifyMessage(encoded, secret))
	var wrapped map[string][]byte
	require.NoError(t, json.Unmarshal(encoded.Body, &wrapped))
	require.Len(t, wrapped, 1)
	require.Contains(t, string(wrapped["encodedPayload"]), `"event":"comment.add"`)

	env.Receiver().AnswerBy("/told", kit.Unavailable(3))
	env.Call(client.SetHooks, map[string]any{"encryptData": true, "publicKey": public}, nil)
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a2", kit.Wrote("ann", "two", kit.Loud))))
	tries := env.Arrived("/told", receiver.Count(3))[1:]
	for _, request := range tries {
		require.NoError(t, receiver.VerifyMessage(request, secret))
		require.True(t, bytes.Equal(tries[0].Body, request.Body), "a retry has the same bytes")
		require.Equal(t, tries[0].Header.Get("webhook-id"), request.Header.Get("webhook-id"))
	}
	plain := decrypted(t, key, tries[0].Body)
	require.Contains(t, string(plain), `"commentText":"two"`)
	require.Contains(t, string(plain), tries[0].Header.Get("webhook-id"))
}

func TestBodies_ProtectedOnesHaveNoPersonalData(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	env.Call(client.SetHooks, map[string]any{"enableDataProtection": true}, nil)
	kit.EndpointAt(env, "/told")
	text := "zqMARKqz"
	person := map[string]any{"userId": "ann", "name": text, "email": text + "@example.com", "photoUrl": "https://example.com/" + text, "own": text}
	env.Call(client.AddUsers, map[string]any{"organizationId": "acme", "users": []any{person}}, nil)
	kit.Annotate(env, kit.Made("spring", map[string]any{
		"annotationId": "a1", "context": map[string]any{"note": text}, "assignedTo": person, "location": map[string]any{"id": "p1", "locationName": text},
		"commentData": []any{kit.Wrote("ann", text, kit.Loud, map[string]any{
			"commentHtml": "<b>" + text + "</b>", "context": map[string]any{"note": text}, "from": person,
		})},
	}))
	kit.Dispatch(env, kit.Instant(env), kit.Input(map[string]any{"title": text})).Ends("completed")
	kit.Heard(env, "/told", 5)
	for _, request := range env.Receiver().Requests("/told") {
		assert.NotContains(t, string(request.Body), text)
	}
	comment := kit.Heard(env, "/told", 5)[0]
	for _, stays := range []string{`"annotationId":"a1"`, `"userId":"ann"`, `"organizationId":"acme"`, `"documentId":"spring"`, `"location":{"id":"p1"}`, `"type":"default"`} {
		assert.Contains(t, string(comment.Data), stays)
	}
}

func TestBodies_LargeOnesAreCutAndSayso(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment.add"}})
	thread := []map[string]any{kit.Wrote("ann", "root")}
	for range 8 {
		thread = append(thread, kit.Wrote("bob", strings.Repeat("x", 60_000)))
	}
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a1", append(thread, kit.Wrote("ann", "short", kit.Loud))...)))
	request := env.Arrived("/told", receiver.Count(1))[0]
	require.LessOrEqual(t, len(request.Body), 256<<10)
	m, err := request.Message()
	require.NoError(t, err)
	var data struct {
		CommentAnnotation struct {
			AnnotationID string
			Comments     []struct{ CommentText string }
		}
		TargetComment struct{ CommentText string }
		Truncated     bool
	}
	require.NoError(t, json.Unmarshal(m.Data, &data))
	require.True(t, data.Truncated)
	require.Equal(t, "short", data.TargetComment.CommentText)
	require.Len(t, data.CommentAnnotation.Comments, 1)
	require.Equal(t, "a1", data.CommentAnnotation.AnnotationID)
}

// Ids may be long themselves: what is added is added, and its message still comes.
func TestBodies_LongIDsFailNoChange(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment.add"}})
	finding := map[string]any{"title": "t", "description": "d", "severity": "low", "findingId": strings.Repeat("é", 10_000)}
	bot := map[string]any{"agent": map[string]any{"agentSource": "external", "agentName": "Bot", "reason": finding}}
	thread := make([]map[string]any, 20)
	for i := range thread {
		thread[i] = kit.Wrote("ann", "a", bot)
	}
	thread[19]["triggerNotification"] = true
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a1", thread...)))
	request := env.Arrived("/told", receiver.Count(1))[0]
	require.LessOrEqual(t, len(request.Body), 256<<10)
	require.Contains(t, string(request.Body), `"annotationId":"a1"`)
	require.Contains(t, string(request.Body), `"truncated":true`)
}

func TestBodies_FlaggedCommentsAndNoOthers(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.Annotate(env, kit.Made("spring", map[string]any{
		"annotationId": "a1", "assignedTo": map[string]any{"userId": "cid"},
		"commentData": []any{kit.Wrote("ann", "root", kit.Loud), kit.Wrote("bob", "reply", kit.Loud), kit.Wrote("ann", "again", kit.Loud), kit.Wrote("bob", "quiet")},
	}))
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a2", kit.Wrote("ann", "root"), kit.Wrote("bob", "reply", kit.Loud))))
	assert.ElementsMatch(t, []string{
		"comment_annotation.add", "comment_annotation.assign", "comment.add", "comment.add", "comment.add", "comment.add",
	}, kit.EventsOf(kit.Heard(env, "/told", 6)))
	env.Refused(client.AddAnnotations, kit.Made("spring", kit.Annotated("a3", kit.Wrote("ann", "x", kit.Loud)), kit.Annotated("a1", kit.Wrote("ann", "in use", kit.Loud))))
	kit.Settled(env)
	assert.Len(t, env.Receiver().Requests("/told"), 6, "what was rolled back raised nothing")
}

// Who wrote the root comment says what the annotation is; an agent that only
// replies changes nothing about it.
func TestAnnotationsAdd_7_AnAgentsReplyMakesNoAgentsAnnotation(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment.add"}})
	finding := map[string]any{"title": "Too long", "description": "Shorten it.", "severity": "low", "own": json.Number("1.50")}
	bot := map[string]any{"agent": map[string]any{"agentSource": "external", "agentName": "Bot", "reason": finding}}
	kit.Annotate(env, kit.Made("d", kit.Annotated("asked", kit.Wrote("ann", "root", kit.Loud), kit.Wrote("bot", "reply", kit.Loud, bot)), kit.Annotated("found", kit.Wrote("bot", "finding", kit.Loud, bot))))
	agents := map[string][2]bool{}
	for _, m := range kit.Heard(env, "/told", 3) {
		var data struct {
			CommentAnnotation, TargetComment struct {
				CommentText, SourceType string
				Agent                   *struct{ Reason json.RawMessage }
			}
		}
		require.NoError(t, json.Unmarshal(m.Data, &data))
		annotation, comment := data.CommentAnnotation, data.TargetComment
		agents[comment.CommentText] = [2]bool{annotation.SourceType == "agent", comment.SourceType == "agent"}
		require.Equal(t, annotation.SourceType == "agent", annotation.Agent != nil)
		if comment.Agent != nil {
			require.Contains(t, string(comment.Agent.Reason), `"own":1.50`, "extra fields are kept")
		}
	}
	require.Equal(t, map[string][2]bool{"root": {false, false}, "reply": {false, true}, "finding": {true, true}}, agents)
}

// Who may not see what is told stands beside it, also where that is nobody.
func TestBodies_WhoMayNotSeeAPrivateAnnotation(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment.add"}})
	for name, text := range map[string]string{"tagged": "{{eve}} {{bob}}", "quiet": "nobody is tagged"} {
		private := kit.Annotated(name, kit.Wrote("ann", text, kit.Loud))
		private["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
		kit.Annotate(env, kit.Made("spring", private))
	}
	kit.Annotate(env, kit.Made("spring", kit.Annotated("open", kit.Wrote("ann", "{{eve}}", kit.Loud))))
	denied := map[string]string{}
	for _, m := range kit.Heard(env, "/told", 3) {
		var data map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(m.Data, &data))
		var annotation struct{ AnnotationID string }
		require.NoError(t, json.Unmarshal(data["commentAnnotation"], &annotation))
		denied[annotation.AnnotationID] = string(data["accessDeniedUsers"])
		require.Equal(t, annotation.AnnotationID != "open", data["visibility"] != nil)
	}
	require.Equal(t, map[string]string{"tagged": `["eve"]`, "quiet": `[]`, "open": ""}, denied)
}
