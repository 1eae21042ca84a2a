package api_test

import (
	"testing"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSuggest_RefusesWhatItCannotRead(t *testing.T) {
	env := newWorkspace(t)
	for _, data := range []map[string]any{
		{}, {"query": ""}, {"query": " \n"}, {"query": 7}, {"query": kit.Liability, "documentId": "d"}, {"query": kit.Liability, "organizationId": ""},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.SuggestDecision, data)
	}
}
