package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJudgmentsQuery_ABlankAddressIsNone(t *testing.T) {
	s := begin(t)
	s.call("users/add", map[string]any{
		"organizationId": "acme", "createOrganization": true, "users": []map[string]any{{"userId": "ann", "name": "Ann", "email": ""}},
	}, nil)
	from := func(user string) map[string]any {
		return map[string]any{"from": map[string]any{"userId": user, "name": " ", "email": " "}}
	}
	s.annotate(made("spring", annotated("a1", wrote("ann", "Too vague.", from("ann")), wrote("bob", "So it is.", from("bob")))))
	found := map[any]map[string]any{}
	for _, j := range s.judgments(nil).Results {
		found[j.ActionUser["userId"]] = j.ActionUser
	}
	require.Equal(t, map[any]map[string]any{
		"ann": {"userId": "ann", "name": "Ann", "email": nil}, "bob": {"userId": "bob", "name": "bob", "email": nil},
	}, found)
}
