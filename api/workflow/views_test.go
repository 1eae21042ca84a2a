package workflow

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/delivery"
)

func TestADefinitionIsWrittenAsItWasSent(t *testing.T) {
	custom := `{ "n": 9007199254740993, "x": 1.50e0, "html": "<&>", "odd": "\u0000\ud800", "z":{"b":1,  "a":2} }`
	read := definitions.View{
		DefinitionID: "first", Name: "<first>", Description: new("what"), Version: 3,
		Scope: definitions.ScopeView{Level: "document", OrganizationID: new("o"), DocumentID: new("d")},
		Nodes: json.RawMessage(`[ {} ]`), Edges: json.RawMessage(`[ ]`), Compiled: json.RawMessage(`{"forwardEdges":[],"loops":[]}`),
		Custom: json.RawMessage(custom), CreatedAt: 1, UpdatedAt: 2, Status: "active",
	}
	view, err := shown(&read, nil)
	require.NoError(t, err)
	text, err := view.AppendTo(nil)
	require.NoError(t, err)
	require.Contains(t, string(text), `"custom":`+custom)
	require.Contains(t, string(text), `"nodes":[ {} ],"edges":[ ],"groups":null,`)
	requireSame(t, read, *view)
	require.JSONEq(t, marshal(t, read), string(text))
}

// What is answered has every field of the row, under the same name and in the
// same order.
func TestViewsLeaveNothingOut(t *testing.T) {
	version := definitions.VersionView{Version: 1, Name: "first", CreatedAt: 2, NodeCount: 3, EdgeCount: 4}
	requireSame(t, version, viewVersion(version))
	delivery := delivery.View{
		EventID: "evt_1", Seq: 1, Event: "t", Status: "dead", NextAttemptAt: new(int64(2)),
		Attempts: []delivery.AttemptView{{Attempt: 1, At: 2, HTTPStatus: new(503), Error: new("throttled"), DurationMs: new(3)}, {}},
	}
	requireSame(t, delivery, viewDelivery(delivery))
}

// requireSame compares a row and what is shown of it as JSON, byte for byte.
func requireSame(t *testing.T, row, view any) {
	t.Helper()
	require.Equal(t, marshal(t, row), marshal(t, view))
}

func marshal(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}
