package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// idsByBody returns the ids of notifications by their texts.
func idsByBody(notices []redline.Notification) map[string]string {
	ids := map[string]string{}
	for _, n := range notices {
		ids[n.DisplayBodyMessage] = n.ID
	}
	return ids
}

// ThreeNotices makes two annotations at different places of d and one of e that notify
// bob and eve, and returns the ids of what bob is notified of, by their texts.
func ThreeNotices(env *Env) map[string]string {
	env.T.Helper()
	here := With(Annotated("n", Wrote("ann", "1 {{bob}} {{eve}}", Loud)), map[string]any{"location": map[string]any{"id": "page-1"}})
	Annotate(env, Made("d", here, Annotated("m", Wrote("ann", "2 {{bob}}", Loud))))
	Annotate(env, Made("e", Annotated("o", Wrote("ann", "3 {{bob}}", Loud))))
	ids := idsByBody(Notices(env, ForUser("bob")))
	require.Len(env.T, ids, 3)
	return ids
}

// ElsewhereIn returns another workspace that has an organization of this id too.
func ElsewhereIn(env *Env, organizationID string) *Env {
	env.T.Helper()
	other := Elsewhere(env)
	Items(other, client.AddOrganizations, map[string]any{"organizations": []any{map[string]any{"organizationId": organizationID}}})
	return other
}
