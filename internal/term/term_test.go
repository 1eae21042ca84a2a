package term_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/term"
)

func TestWordsOfAText(t *testing.T) {
	require.Equal(t, []string{"the", "co-signer's", "fee", "5", "größe", "don't"}, term.Words("The co-signer’s fee -- (5%), GRÖßE 'don't'"))
	require.Empty(t, term.Words(" -- '' \n"))
}

func TestStemsLeaveOutWhatSaysNothing(t *testing.T) {
	require.Equal(t, map[string]bool{"liabil": true, "cap": true, "miss": true}, term.Stems("The liability cap is missing; liabilities are capped."))
}

func TestWordsAreThoseOfTheirOwnText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, word := range term.Words(rapid.String().Draw(t, "text")) {
			require.Equal(t, []string{word}, term.Words(word))
		}
	})
}
