package cursor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
)

type filters struct {
	Status string `json:"status"`
	Since  int64  `json:"since"`
}

type position struct {
	At int64  `json:"at"`
	ID string `json:"id"`
}

var keys = []secret.Key{secret.NewKey("one"), secret.NewKey("two")}

func codec(t testing.TB, hash ...secret.Key) *cursor.Codec {
	t.Helper()
	box, err := secret.NewBox([]secret.Key{secret.NewKey("enc")}, hash)
	require.NoError(t, err)
	return cursor.New(box)
}

var (
	narrowed = filters{Status: "failed", Since: 7}
	at       = position{At: 9007199254740993, ID: "exec_1"}
)

func TestATokenLeadsBackToItsPosition(t *testing.T) {
	c := codec(t, keys[0])
	token := c.Encode("ws_1", "executions", narrowed, at)
	require.Regexp(t, `^[A-Za-z0-9_-]+$`, token)
	var got position
	require.NoError(t, c.Decode("ws_1", "executions", narrowed, token, &got))
	require.Equal(t, at, got)
}

func TestATokenIsBoundToItsList(t *testing.T) {
	c := codec(t, keys[0])
	token := c.Encode("ws_1", "executions", narrowed, at)
	tries := map[string]error{
		"workspace": c.Decode("ws_2", "executions", narrowed, token, &position{}),
		"list":      c.Decode("ws_1", "steps", narrowed, token, &position{}),
		"filter":    c.Decode("ws_1", "executions", filters{Status: "failed", Since: 8}, token, &position{}),
		"keys":      codec(t, keys[1]).Decode("ws_1", "executions", narrowed, token, &position{}),
		"empty":     c.Decode("ws_1", "executions", narrowed, "", &position{}),
		"rubbish":   c.Decode("ws_1", "executions", narrowed, "!!", &position{}),
		"padding":   c.Decode("ws_1", "executions", narrowed, token+"=", &position{}),
		"line feed": c.Decode("ws_1", "executions", narrowed, token[:9]+"\n"+token[9:], &position{}),
		"long":      c.Decode("ws_1", "executions", narrowed, strings.Repeat("A", 5000), &position{}),
		"other":     c.Decode("ws_1", "executions", narrowed, c.Encode("ws_1", "executions", narrowed, "text"), &position{}),
	}
	for name, err := range tries {
		refused := fault.From(err)
		require.NotNil(t, refused, name)
		require.Equal(t, fault.StatusInvalidArgument, refused.Status, name)
		require.Equal(t, []string{"cursor"}, refused.Issues[0].Path, name)
	}
	err := c.DecodeField("pageToken", "ws_1", "executions", narrowed, "x", &position{})
	require.Equal(t, []string{"pageToken"}, fault.From(err).Issues[0].Path)
}

func TestNoCharacterOfATokenCanBeAltered(t *testing.T) {
	c := codec(t, keys[0])
	token := c.Encode("ws_1", "executions", narrowed, at)
	for i := range token {
		for _, other := range "AQgwZz09-_" {
			altered := token[:i] + string(other) + token[i+1:]
			if altered != token {
				require.Error(t, c.Decode("ws_1", "executions", narrowed, altered, &position{}), altered)
			}
		}
	}
}

func TestATokenSurvivesTheRotationOfKeys(t *testing.T) {
	token := codec(t, keys[0]).Encode("ws_1", "executions", narrowed, at)
	require.NoError(t, codec(t, keys[1], keys[0]).Decode("ws_1", "executions", narrowed, token, &position{}))
}

func FuzzDecode(f *testing.F) {
	c := codec(f, keys[0])
	f.Add(c.Encode("ws_1", "executions", narrowed, at))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		var got position
		err := c.Decode("ws_1", "executions", narrowed, token, &got)
		if err == nil {
			require.Equal(t, token, c.Encode("ws_1", "executions", narrowed, got), "what is accepted was made here, and has one spelling")
		} else {
			require.True(t, fault.Is(err, fault.StatusInvalidArgument))
		}
	})
}
