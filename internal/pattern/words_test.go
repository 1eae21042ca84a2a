package pattern_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pattern"
)

func TestDescriptionQuotesTheMedoidAndNamesTerms(t *testing.T) {
	members := append(
		because("The liability cap is missing. Add one.", approval(1, "ann", 0), approval(2, "bob", 10), approval(3, "cem", 20)),
		because("Fees are fine", rejection(4, "ann", 90), rejection(5, "bob", 90))...,
	)
	members[1].Reasoning = "No cap on liability, as ever! It must be twice the fees."
	require.Equal(t, "Usually approved (3 of 3): No cap on liability, as ever! Common terms: cap, liability, add", one(t, members...).Description)
}

func TestOnlyAgreeingReasoningsAreQuoted(t *testing.T) {
	members := append(three(), because("Unclear scope.", rejection(4, "dan", 10))...)
	require.Equal(t, "Usually approved (3 of 4): Common terms: scope, unclear", one(t, members...).Description)

	members[2].Reasoning = "\n\n Fine by me.\n\nReally."
	require.Equal(t, "Usually approved (3 of 4): Fine by me. Common terms: fine, really, scope", one(t, members...).Description, "not the medoid's, which has none")
}

func TestAVoteThatWasTakenBackIsNotQuoted(t *testing.T) {
	changed := about("contract", approval(1, "ann", 10), approval(2, "ann", 0))
	changed[0].Reasoning = "Old reason."
	changed[1].Reasoning = "New reason."
	members := append(slices.Clone(changed), approval(3, "bob", 10), approval(4, "cem", 10))
	require.Contains(t, one(t, members...).Description, "(3 of 3): New reason. ")
}

func TestTermsAreFrequentInsideAndRareOutside(t *testing.T) {
	description := func(inside []string, outside ...string) string {
		var members []pattern.Member
		for n, reasoning := range inside {
			members = append(members, because(reasoning, approval(n, "ann", 0))...)
		}
		for n, reasoning := range outside {
			members = append(members, because(reasoning, approval(50+n, "ann", 90+float64(n)*60))...)
		}
		_, terms, _ := strings.Cut(one(t, members...).Description, "Common terms: ")
		return terms
	}
	require.Equal(t, "indemnity", description([]string{"indemnity", "indemnity", "waiver", "price"}), "half of them, not a quarter")
	require.Equal(t, "indemnity, waiver", description([]string{"waiver indemnity", "waiver indemnity", "", " "}), "who gives no reason does not count")
	require.Equal(t, "late", description([]string{"one", "two", "late", "late"}), "a word may come late")
	require.Equal(t, "late", description([]string{"one", "two", "late", "late", "late"}))
	require.Equal(t, "beta, alpha, delta", description([]string{"delta beta alpha", "beta zeta", "alpha beta delta zeta"}), "by count, then by the alphabet")
	require.Equal(t, "gamma", description([]string{"a fee of 2025 is ok, gamma", "is ok gamma", "gamma ok"}), "short words, numbers and stop words say nothing")
	require.Equal(t, "Größe", strings.ReplaceAll(description([]string{"Größe", "GRÖSSE größe", "größe"}), "größe", "Größe"))
	require.Equal(t, "price", description([]string{"cap price", "cap price", "cap price"}, "cap"), "one other is more than a tenth of the others")
}

func TestATermMayStandInFewOfTheOthers(t *testing.T) {
	terms := func(others int) string {
		members := because("escrow", three()...)
		for n := range others {
			reasoning := "nothing"
			if n == 0 {
				reasoning = "escrow"
			}
			members = append(members, because(reasoning, approval(40+n, "ann", 180))...)
		}
		found := detect(t, pattern.Scope{}, about("d", members[3:]...)...)
		require.Empty(t, found)
		return one(t, members...).Description
	}
	require.NotContains(t, terms(10), "Common terms", "1 of 10 is a tenth")
	require.Contains(t, terms(11), "Common terms: escrow", "1 of 11 is less")
}

func TestALongSentenceEndsWithAWholeWord(t *testing.T) {
	quoted := func(reasoning string) string {
		_, sentence, _ := strings.Cut(one(t, because(reasoning, three()...)...).Description, ": ")
		sentence, _, _ = strings.Cut(sentence, " Common terms")
		return sentence
	}
	require.Equal(t, strings.Repeat("ab ", 52)+"abcd", quoted(strings.Repeat("ab ", 52)+"abcd"), "160 characters stay")
	require.Equal(t, strings.Repeat("ab ", 52)+"abcd", quoted(strings.Repeat("ab ", 52)+"abcd ef"))
	require.Equal(t, strings.TrimSpace(strings.Repeat("ab ", 52)), quoted(strings.Repeat("ab ", 52)+"abcde"))
	require.Equal(t, strings.Repeat("ä", 160), quoted(strings.Repeat("ä", 161)), "characters, not bytes")
}

func TestWordsComeFromTheJudgmentsOfTheRun(t *testing.T) {
	acme := because("Indemnity is capped.", three()...)
	bolt := because("Escrow is missing.", approval(11, "dan", 0), approval(12, "eve", 10), approval(13, "fay", 20))
	for i := range bolt {
		bolt[i].OrganizationID, bolt[i].Category = "bolt", "escrows"
	}
	p := one(t, acme...)
	require.Equal(t, "Usually approved (3 of 3): Indemnity is capped. Common terms: capped, indemnity", p.Description)
	require.Equal(t, "capped", p.Category)
	require.Equal(t, "Usually approved (3 of 3): Escrow is missing. Common terms: escrow, missing", one(t, bolt...).Description)
}
