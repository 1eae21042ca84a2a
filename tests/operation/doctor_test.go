package operation

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/redline-svc/redline/tests/kit"
)

// seen is what the doctor says of one thing.
type seen struct{ Of, State, Says, Do string }

// examine asks the doctor, with further variables, and returns what it says, by what it is of.
func examine(isolated *kit.IsolatedStack, settings map[string]string) map[string]seen {
	isolated.T.Helper()
	out, failed := isolated.RunWith(isolated.T.Context(), settings, "admin", "doctor", "--json")
	var list []seen
	require.NoError(isolated.T, json.NewDecoder(strings.NewReader(out)).Decode(&list), out)
	found, faults := map[string]seen{}, 0
	for _, s := range list {
		found[s.Of] = s
		if s.State == "fault" {
			faults++
		}
		require.Equal(isolated.T, s.State == "ok", s.Do == "", "%+v", s)
	}
	require.Equal(isolated.T, faults > 0, failed != nil, "%v", failed)
	return found
}

// Of a service that runs everything that can be misconfigured is looked at, and of each part that is
// away or is another than it should be the doctor says what to do.
func TestDoctor_LooksAtEverything(t *testing.T) {
	isolated := kit.NewIsolatedStackWithNewNamespace(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	found := examine(isolated, nil)
	for _, of := range []string{
		"version", "configuration", "public address", "proxies", "limits", "postgres", "clock", "connections", "schema", "keys", "quotas", "files", "disk",
		"weaviate", "index", "model", "temporal", "namespace", "relay",
	} {
		require.NotEmpty(t, found[of].Says, "%s is looked at", of)
		require.NotEqual(t, "fault", found[of].State, "%+v", found[of])
	}
	require.Contains(t, found["temporal"].Says, "version 1.")
	require.Contains(t, found["weaviate"].Says, "version 1.")

	for name, c := range map[string]struct {
		settings        map[string]string
		of, state, says string
	}{
		"another namespace":   {map[string]string{"REDLINE_TEMPORAL_NAMESPACE": kit.Unique("nobodys")}, "namespace", "warning", "lacks: namespace"},
		"attributes as texts": {map[string]string{"REDLINE_TEMPORAL_NAMESPACE": mistyped(isolated)}, "namespace", "fault", "RedlineKind"},
		"no Temporal":         {map[string]string{"REDLINE_TEMPORAL_ADDR": "127.0.0.1:1"}, "temporal", "fault", ""},
		"no index":            {map[string]string{"REDLINE_WEAVIATE_ADDR": "127.0.0.1:1"}, "weaviate", "fault", ""},
		"no relay":            {map[string]string{"REDLINE_SMTP_ADDR": "127.0.0.1:1"}, "relay", "fault", ""},
		"another model":       {map[string]string{"REDLINE_EMBEDDER": "local"}, "model", "fault", "another one than that of the index"},
	} {
		found := examine(isolated, c.settings)
		require.Equal(t, c.state, found[c.of].State, "%s: %+v", name, found)
		require.Contains(t, found[c.of].Says, c.says, name)
	}
}

// mistyped makes a namespace in which somebody made a search attribute by hand, as a text.
func mistyped(isolated *kit.IsolatedStack) (name string) {
	t := isolated.T
	t.Helper()
	name = kit.Unique("mistyped")
	conn, err := grpc.NewClient(kit.Shared.Env["REDLINE_TEMPORAL_ADDR"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = workflowservice.NewWorkflowServiceClient(conn).RegisterNamespace(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	require.NoError(t, err)
	kit.RequireEventually(t, "the attribute is made, once the namespace is known", func() bool {
		_, err := operatorservice.NewOperatorServiceClient(conn).AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{
			Namespace: name, SearchAttributes: map[string]enumspb.IndexedValueType{"RedlineKind": enumspb.INDEXED_VALUE_TYPE_TEXT},
		})
		return err == nil
	})
	return name
}
