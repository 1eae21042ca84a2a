package shape_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/shape"
)

type guest struct {
	Name *string    `json:"name,omitempty" maxLength:"5"`
	Mail string     `json:"mail,omitempty"`
	Rest shape.Rest `json:"-"`
}

type party struct {
	Guests  []guest           `json:"guests"`
	Venue   *string           `json:"venue,omitempty"`
	Host    shape.Only[guest] `json:"host,omitempty"`
	Cleared shape.Nulls       `json:"-"`
}

func readParty(t *testing.T, text string) (party, shape.Report) {
	t.Helper()
	require.NoError(t, shape.Check([]byte(text)))
	registry := huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)
	var read party
	report := shape.Compile(registry, reflect.TypeFor[party]()).Read([]byte(text), &read, shape.Open)
	return read, report
}

func TestRestTakesWhatNoFieldDoes(t *testing.T) {
	read, report := readParty(t, `{"guests":[{"name":null,"__proto__":{ "a": 1.10 },"x":1,"mail":"m","x":2}],"odd":1}`)
	require.Empty(t, report.Issues)
	require.Equal(t, [][]string{{"odd"}}, report.Ignored)
	rest := read.Guests[0].Rest
	require.Equal(t, []shape.Pair{{Name: "__proto__", Value: json.RawMessage(`{ "a": 1.10 }`)}, {Name: "x", Value: json.RawMessage(`2`)}}, rest.Members)
	require.True(t, rest.Null("name"))
	require.False(t, rest.Null("mail"))
	require.Equal(t, len(`{"name":null,"__proto__":{"a":1.10},"x":1,"mail":"m","x":2}`), rest.Size)
}

// Keys that no field has stay unknown where only nulls are wanted.
func TestNullsAreNamed(t *testing.T) {
	read, report := readParty(t, `{"guests":[],"venue":null,"odd":null}`)
	require.Equal(t, [][]string{{"odd"}}, report.Ignored)
	require.Equal(t, shape.Nulls{"venue"}, read.Cleared)
	require.True(t, read.Cleared.Null("venue"))
	read, _ = readParty(t, `{"guests":[],"venue":"x"}`)
	require.Empty(t, read.Cleared)
}

// A value that may come in an array is read alike from it, and its faults are named there.
func TestAnArrayOfOneIsReadAsItsItem(t *testing.T) {
	for _, text := range []string{`{"guests":[],"host":{"name":"Ann","x":1}}`, `{"guests":[],"host":[ {"name":"Ann","x":1} ]}`} {
		read, report := readParty(t, text)
		require.Empty(t, report.Issues)
		require.Equal(t, "Ann", *read.Host.Value.Name)
		require.Len(t, read.Host.Value.Rest.Members, 1)
	}
	for text, path := range map[string][]string{
		`[]`: {"host"}, `[{},{}]`: {"host"}, `[null]`: {"host", "0"}, `[{"name":"longer than it may be"}]`: {"host", "0", "name"}, `7`: {"host"},
	} {
		_, report := readParty(t, `{"guests":[],"host":`+text+`}`)
		require.Len(t, report.Issues, 1, text)
		require.Equal(t, path, report.Issues[0].Path, text)
	}
}

func TestRestRefusesWhatCannotBeStored(t *testing.T) {
	for _, text := range []string{
		`{"guests":[{"x":"\u0000"}]}`, `{"guests":[{"x":{"\ud800":1}}]}`, `{"guests":[{"a\u0000":1}]}`, `{"guests":[{"x":["\udc00\ud800"]}]}`,
	} {
		_, report := readParty(t, text)
		require.Len(t, report.Issues, 1, text)
		require.Equal(t, shape.Format, report.Issues[0].Code)
	}
	_, report := readParty(t, `{"guests":[{"x":["\ud83d\ude00","\\u0000","\ufffd"]}]}`)
	require.Empty(t, report.Issues)
}

func TestMembersGoInAndOut(t *testing.T) {
	members := shape.MembersOf([]byte(`{ "a": [1, 2], "b":"}" }`))
	require.Equal(t, `{"c":1,"a":[1, 2],"b":"}"}`, string(shape.AppendMembers([]byte(`{"c":1}`), members)))
	require.Equal(t, `{"a":[1, 2],"b":"}"}`, string(shape.AppendMembers([]byte(`{}`), members)))
	require.Nil(t, shape.MembersOf([]byte(`[]`)))
}
