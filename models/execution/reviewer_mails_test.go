package execution_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

// asking is a flow of steps that ask as many people as a step may, by the longest comment.
func asking(steps int) string {
	var nodes, edges, people []string
	for i := range 50 {
		people = append(people, fmt.Sprintf(`"u%d"`, i))
	}
	for i := range steps {
		nodes = append(nodes, fmt.Sprintf(`{"nodeId":"a%d","type":"human","config":{"reviewerIds":[%s],"commentBody":"%s"}}`,
			i, strings.Join(people, ","), strings.Repeat(`\"`, 8000)))
		edges = append(edges, fmt.Sprintf(`{"from":"a%d","to":"end","on":"reject"}`, i))
	}
	nodes = append(nodes, `{"nodeId":"end","type":"agent","config":{"agentId":"__mock__"}}`)
	return `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
}

// What many steps say to many people is stored in parts, of which none is missing.
func TestAllReviewersOfManyStepsGetTheirMail(t *testing.T) {
	t.Parallel()
	const steps = 4
	b := modelstest.NewBench(t, 10)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	flow := asking(steps)
	store := execution.New(b.DB, box, modelstest.GraphFunc(func(string) (*definition.Graph, error) { return definition.GraphOf([]byte(flow)) }), execution.Options{StepCalls: 10})
	b.Exec(`INSERT INTO email_settings (workspace_id, enabled) VALUES ($1, true)`, modelstest.Workspace)
	b.Exec(`WITH o AS (INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, 'acme', 'Acme') RETURNING key)
INSERT INTO profiles (organization_key, user_id, workspace_id, email) SELECT key, 'u' || i, $1, 'u' || i || '@example.com' FROM o, generate_series(0, 49) AS i`, modelstest.Workspace)
	d, err := store.Dispatch(t.Context(), modelstest.Workspace, execution.Dispatch{
		DefinitionID: "mock", KeySpace: contract.KeysOfCallers, Key: "k", OrganizationID: "acme",
	})
	require.NoError(t, err)
	_, err = store.Plan(t.Context(), contract.PlanInput{
		WorkspaceID: modelstest.Workspace, ExecutionID: d.ExecutionID, RunID: modelstest.RunID,
		WorkflowID: contract.ExecutionWorkflowID(modelstest.Workspace, "mock", contract.KeysOfCallers, "k"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{strconv.Itoa(50 * steps)}, b.Rows(`SELECT count(*)::text FROM mails m JOIN deliveries d ON d.mail_id = m.id WHERE length(m.body_text) > 8000 AND length(m.body_html) > 40000`))
	require.Len(t, b.Rows(`SELECT DISTINCT recipient FROM mails`), 50)
}
