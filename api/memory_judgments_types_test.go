package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestJudgmentsQuery_ABlankAddressIsNone(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, map[string]any{
		"organizationId": "acme", "createOrganization": true, "users": []map[string]any{{"userId": "ann", "name": "Ann", "email": ""}},
	}, nil)
	from := func(user string) map[string]any {
		return map[string]any{"from": map[string]any{"userId": user, "name": " ", "email": " "}}
	}
	kit.Annotate(env, kit.Made("spring", kit.Annotated("a1", kit.Wrote("ann", "Too vague.", from("ann")), kit.Wrote("bob", "So it is.", from("bob")))))
	found := map[string]redline.ActionUser{}
	for _, j := range kit.Judgments(env, nil).Results {
		found[j.ActionUser.UserID] = j.ActionUser
	}
	require.Equal(t, map[string]redline.ActionUser{
		"ann": {UserID: "ann", Name: "Ann"}, "bob": {UserID: "bob", Name: "bob"},
	}, found)
}
