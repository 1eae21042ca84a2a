package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/judgment"
)

func TestWordsOfOneDecisionAreOne(t *testing.T) {
	for sent, want := range map[string]string{
		"approve": "approve", "Approved": "approve", "PASS": "approve", "document-approved": "approve", "Document Approved": "approve",
		"denied": "reject", "changes requested": "reject", "Changes-Requested": "reject", "disagree": "reject",
		"done": "resolve", "resolve": "resolve", "InProgress": "in_progress", "in progress": "in_progress", "reopened": "in_progress",
		"note": "comment", "commented": "comment", "Needs-Work": "needs_work", "": "", "É": "é",
	} {
		require.Equal(t, want, judgment.Word(sent), sent)
	}
}

func TestAStoredWordStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := judgment.Word(rapid.String().Draw(t, "word"))
		require.Equal(t, word, judgment.Word(word))
	})
}

func TestConfidenceComesFromTheReason(t *testing.T) {
	require.InDelta(t, 0.95, judgment.Confidence("unclear"), 0)
	require.InDelta(t, 0.75, judgment.Confidence(" \n"), 0)
}
