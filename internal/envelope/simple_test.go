package envelope

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spoken is a message of a comment with a number that no float has.
func spoken(event string) Message {
	return Message{
		ID: "msg_1", Event: event, At: time.UnixMilli(0), Sequence: 7, Metadata: Metadata{APIKey: "ak_1"},
		Data: json.RawMessage(`{"targetComment":{"commentText":"<b> & 1"},"n":12345678901234567890.10}`),
	}
}

const spokenSimply = `{"webhookId":"msg_1","actionType":"added","notificationSource":"comment",` +
	`"targetComment":{"commentText":"<b> & 1"},"n":12345678901234567890.10,"metadata":{"apiKey":"ak_1"}}`

func TestSimple_IsMadeOfTheStoredBody(t *testing.T) {
	t.Parallel()
	stored, err := spoken(CommentAdd).Body(Form{})
	require.NoError(t, err)
	got, err := Simple(stored)
	require.NoError(t, err)
	assert.Equal(t, spokenSimply, string(got))

	stored, err = spoken(CommentAdd).Body(Form{Encoded: true})
	require.NoError(t, err)
	got, err = Simple(stored)
	require.NoError(t, err)
	var wrapped map[string][]byte
	require.NoError(t, json.Unmarshal(got, &wrapped))
	assert.Equal(t, map[string][]byte{"encodedPayload": []byte(spokenSimply)}, wrapped)
}

func TestSimple_EveryEventAboutCommentsButADeletionHasAnAction(t *testing.T) {
	t.Parallel()
	for _, e := range commentEvents {
		assert.Equal(t, e.Name != AnnotationDelete, IsSimple(e.Name), e.Name)
	}
	assert.Len(t, SimpleEvents(), len(commentEvents)-1)
	for _, other := range []string{Test, AnnotationDelete} {
		stored, err := spoken(other).Body(Form{})
		require.NoError(t, err)
		_, err = Simple(stored)
		require.Error(t, err, other)
	}
	for _, broken := range []string{`{`, `[]`, `{"encodedPayload":"AAAA"}`} {
		_, err := Simple([]byte(broken))
		require.Error(t, err, broken)
	}
}
