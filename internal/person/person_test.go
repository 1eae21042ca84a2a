package person_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
)

func TestInitial(t *testing.T) {
	for _, c := range []struct{ name, email, want string }{
		{"Ann", "x@y.z", "A"},
		{"🇩🇪 Anna", "", "🇩🇪"},
		{"élan", "", "É"},
		{"e\u0301lan", "", "E\u0301"},
		{"ßeta", "", "ß"},
		{"", "zoe@example.com", "Z"},
		{"", "", ""},
		{"👩‍🚀 Sally", "", "👩‍🚀"},
		{"ﬁona", "", "ﬁ"},
		{" x", "", " "},
		{"क्षमा", "", "क्ष"},
		{"श्रीमती", "", "श्री"},
		{"ক্ষমা", "", "ক্ষ"},
		{"സ്നേഹ", "", "സ്നേ"},
		{"குமார்", "", "கு"},
	} {
		require.Equal(t, c.want, person.Initial(c.name, c.email), "%q %q", c.name, c.email)
	}
}

func TestGapsAreFilledFromTheProfile(t *testing.T) {
	profile := &person.Person{UserID: "u", Name: new("Ann"), Email: new("ann@x.y"), Initial: new("A.")}
	filled := person.Person{UserID: "u"}.Filled(profile)
	require.JSONEq(t, `{"userId":"u","name":"Ann","email":"ann@x.y","initial":"A."}`, string(filled.Snapshot()))
	other := person.Person{UserID: "u", Name: new("Bo")}.Filled(profile)
	require.JSONEq(t, `{"userId":"u","name":"Bo","email":"ann@x.y","initial":"B"}`, string(other.Snapshot()))
	alone := person.Person{UserID: "u", Extra: []shape.Pair{{Name: "n", Value: json.RawMessage("1.10")}}}.Filled(nil)
	require.Equal(t, `{"userId":"u","initial":"","n":1.10}`, string(alone.Snapshot()))
}

func TestASnapshotIsReadAsItWasWritten(t *testing.T) {
	for _, text := range []string{
		`{"userId":"u","initial":""}`,
		`{"userId":"u","name":"Ann","email":"a@x.y","initial":"A","photoUrl":"https://x.y/a","NAME":{"n":1.10},"email ":null}`,
	} {
		require.Equal(t, text, string(person.Of(json.RawMessage(text)).Snapshot()))
	}
}
