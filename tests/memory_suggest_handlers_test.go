package tests

import (
	"testing"
)

func TestSuggest_RefusesWhatItCannotRead(t *testing.T) {
	s := begin(t)
	for _, data := range []map[string]any{
		{}, {"query": ""}, {"query": " \n"}, {"query": 7}, {"query": liability, "documentId": "d"}, {"query": liability, "organizationId": ""},
	} {
		s.refusedAs("INVALID_ARGUMENT", suggestDecision, data)
	}
}
