package term_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/term"
)

func TestKeywordsAreStemsInTheirOrder(t *testing.T) {
	require.Equal(t, []string{"payment", "30", "day", "payment", "paid"}, term.Keywords("Payments of 30-days; the payment's paid."))
	require.Empty(t, term.Keywords("is it of the -- ''"))
}

func TestKeywordsHoldNoWhiteSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, stem := range term.Keywords(rapid.String().Draw(t, "text")) {
			require.Equal(t, []string{stem}, strings.Fields(stem))
		}
	})
}

func TestAQuestionIsAskedWithoutTheWordsThatOnlyAsk(t *testing.T) {
	require.Equal(t, []string{"pay", "fee"}, term.Asked("How often must I pay fees?"))
	require.Equal(t, []string{"must"}, term.Asked("Must I?"), "it has no others")
}

func TestATextMustHaveEnoughOfWhatIsAsked(t *testing.T) {
	for question, least := range map[string]int{
		"":                                     1,
		"May I?":                               1,
		"Who pays fees?":                       1,
		"Who pays fees when I'm away? Do I?":   2,
		"Rents, rents and the renting of rent": 1,
		"Which repairs of doors, windows and gates does the tenant pay?": 3,
		"Which repairs did Okonkwo pay at the end of the tenancy?":       1,
		"Which repairs were on invoice 88213 at the end of the tenancy?": 1,
		"Which repairs are in the eMail about the end of the tenancy?":   1,
	} {
		require.Equal(t, least, term.Least(question), question)
	}
}
