package erase

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func ann() *Marks { return New("gone", []string{"u1", "a&b"}, []string{"Ann", "ann@example.com", ""}) }

func TestPeopleAreTakenOutOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"userId":"u1","name":"Annie","phone":"1"}`:                 `{"userId":"gone"}`,
		`{"a":{"userId":"u1","name":"old"},"n":0.1000}`:              `{"a":{"userId":"gone"},"n":0.1000}`,
		`{"userId":"u1","decision":"approve","by":["u1","u2"]}`:      `{"userId":"gone","decision":"approve","by":["gone","u2"]}`,
		`[12345678901234567890, "u1"]`:                               `[12345678901234567890,"gone"]`,
		`{"by":"\u0075\u0031","said":"u1 was here","u1":"Ann"}`:      `{"by":"gone","said":"u1 was here","u1":"gone"}`,
		`{"userId":"u2","name":"Ann"}`:                               `{"userId":"u2","name":"gone"}`,
		`"ann@example.com"`:                                          `"gone"`,
		`{"userId":"u2", "name":"Bob","x":[true,null,1e5,"<b>"]}`:    `{"userId":"u2", "name":"Bob","x":[true,null,1e5,"<b>"]}`,
		`{"name":"x","userId":"u1","nested":{"deep":[[["u1"]]]} }`:   `{"userId":"gone"}`,
		`{"contact":{"userId":"u1","email":null},"userId":"u1"}`:     `{"contact":{"userId":"gone"},"userId":"gone"}`,
		`{"progress":{"visibleToUserIds":["u1","u2"],"n":1.0}}`:      `{"progress":{"visibleToUserIds":["u2"],"n":1.0}}`,
		`{"visibleToUserIds":null,"by":["u3"]}`:                      `{"visibleToUserIds":null,"by":["u3"]}`,
		`{"userId":"u1","extra":{"userId":"u2","name":"Bob"},"k":1}`: `{"userId":"gone","extra":{"userId":"u2","name":"Bob"},"k":1}`,
	} {
		require.Equal(t, want, string(ann().JSON(json.RawMessage(text))), text)
	}
}

func TestSomebodyWhoIsCalledAsAPageTakesItAlong(t *testing.T) {
	m := New("gone", []string{"1"}, []string{"1"})
	require.Equal(t, `{"page":"gone","n":1,"1":"p. 1","of":["10","gone"]}`, string(m.JSON(json.RawMessage(`{"page":"1","n":1,"1":"p. 1","of":["10","1"]}`))))
}

func TestTextsAndTags(t *testing.T) {
	m := ann()
	require.Equal(t, "Ask [deleted user], u1 and {{u2}}", m.Untagged("Ask {{u1}}, u1 and {{u2}}"))
	require.Equal(t, "<b>[deleted user]</b>[deleted user]", m.UntaggedHTML("<b>{{u1}}</b>{{a&amp;b}}"))
	require.Empty(t, m.UntaggedHTML("<b>{{u&#49;}}</b>"))
	require.Equal(t, "[deleted user] asked [deleted user]. Annex u12", m.Said("Ann asked u1. Annex u12"))
	require.True(t, m.Names(json.RawMessage(`{"text":"so {{u1}}"}`)))
	require.True(t, m.Names(json.RawMessage(`{"text":["Ann"]}`)))
	require.False(t, m.Names(json.RawMessage(`{"text":"Ann said u1"}`)))
}

func TestWhoIsCalledAsNobodyIs(t *testing.T) {
	m := New("gone", []string{"user"}, []string{"deleted", "$1"})
	require.Equal(t, "[deleted user] [deleted user] users [deleted user]", m.Said("user deleted users $1"))
	require.Equal(t, "Ask [deleted user]", m.Untagged("Ask {{user}}"))
}
