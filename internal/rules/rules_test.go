package rules_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/rules"
)

func contents(text string) []string {
	found := []string{}
	for _, r := range rules.Extract(text).Rules {
		found = append(found, r.Content)
	}
	return found
}

func TestSentencesThatAreRules(t *testing.T) {
	for _, sentence := range []string{
		"Every invoice must be paid within thirty days.", "Staff shall wear a badge.", "You should lock the door at night.",
		"Users need to confirm their address.", "Each team has to name a deputy.", "A signature is required on page two.",
		"Helmets are mandatory on site.", "Ensure that the valve is closed.", "Make sure the lid is on.", "Do not open the window.",
		"Don’t feed the birds.", "Never leave the oven alone.", "Visitors cannot enter the lab.", "You may not copy this page.",
		"Avoid long meetings on Fridays.", "Please refrain from smoking here.", "Smoking is prohibited in here.", "Dogs are not allowed inside.",
		"At least 3 reviewers sign.", "Keep a distance of no less than two metres.", "Answer no later than 5 days after receipt.",
		"Passwords have between 12 and 64 characters.", "Always close the gate.", "Use only approved suppliers.", "Only editors can publish.",
		"You mustn't park here.", "This requires a second signature.", "The maximum speed is 30 km/h.",
	} {
		require.Equal(t, []string{sentence}, contents(sentence), sentence)
	}
}

func TestSentencesThatAreNone(t *testing.T) {
	for _, sentence := range []string{
		`The word "must" appears here.`, "Must we?", "Must we really go there today?", "At least it works.", "The sun rises in the east.",
		"It must have been late that night.", "They had to leave early that day.", "The report was required last year.",
		"We would have to rebuild the whole house.", "It is not only fast but cheap.", "She was the only witness.", "If only it rained more.",
		"He always walked to work.", "They only used paper in those days.", "You must.", "12 34 56", "The following must be done:",
		"A minimum of fuss was made about it.", "",
	} {
		require.Empty(t, contents(sentence), sentence)
	}
}

func TestLists(t *testing.T) {
	require.Equal(t, []string{"You must never use: glue", "You must never use: tape and nails"},
		contents("You must never use:\n\n- glue\n- **tape** and nails\n"))
	require.Empty(t, contents("We sell:\n\n- glue\n- tape and nails\n"))
	require.Equal(t, []string{"Sign the contract", "File the copy"}, contents("[ ] Sign the contract\n- [x] File the copy\n- [ ] Sign\n"))
	require.Equal(t, []string{"use plain words"}, contents("# Do\n\n- use plain words\n- short\n- is this one?\n\n# Notes\n\n- words are plain here"))
	require.Equal(t, []string{"Keep this rule: you must obey"}, contents("- Outer\n  - Keep this rule: you must obey\n"))
	require.Equal(t, []string{"Staff must: wear a badge", "Staff must: greet guests", "Other things must stay here"},
		contents("1. Staff must:\n   a) wear a badge\n   b) greet guests\n2. Other things must stay here\n"))
}

func TestAQuestionUnderALeadInIsNone(t *testing.T) {
	require.Equal(t, []string{"You must answer these: name the owner"}, contents("You must answer these:\n\n- Who owns it?\n- name the owner\n"))
}

func TestAHeadingIsNormativeByItsFirstWords(t *testing.T) {
	for _, heading := range []string{"Do", "Do's and don'ts", "Don’ts", "Never", "3. Must have", "Requirements for staff", "Not allowed", "Checklist"} {
		require.Equal(t, []string{"gloves and boots on"}, contents("# "+heading+"\n\n- gloves and boots on"), heading)
	}
	for _, heading := range []string{"Documents", "Do I need it?", "What is required", "Notes"} {
		require.Empty(t, contents("# "+heading+"\n\n- gloves and boots on"), heading)
	}
}

func TestBlockQuotesAreReadWithoutTheirMarks(t *testing.T) {
	require.Equal(t, []string{"You must go home at once.", "never come back here"},
		contents("> You must go\n> home at once. So it is.\n>\n> > - never come back here\n"))
}

func TestTablesCodeAndBrokenLines(t *testing.T) {
	require.Equal(t, []string{"Doors must be locked"}, contents("| who | what |\n| --- | --- |\n| guard | Doors must be locked |\n"))
	require.Empty(t, contents("```\nYou must not read this.\n```"))
	require.Equal(t, []string{"A door must be locked at night."}, contents("A door must\nbe locked at night."))
}

func TestMarksInCellsCountAsInLists(t *testing.T) {
	require.Equal(t, []string{"Doors must be shut", "Gates must be shut", "Sign the contract", "You must pay at once"},
		contents("| a | b |\n| --- | --- |\n| - Doors must be shut | 2) Gates must be shut |\n| ☐ Sign the contract | • Leave |\n| - Note | 1.2 You must pay at once |\n"))
	require.Equal(t, []string{"use plain words"}, contents("# Do\n\n| a | b |\n| --- | --- |\n| - use plain words | plain words here |\n"))
	require.Equal(t, []string{"You must never use: glue"}, contents("You must never use:\n\n- glue\n"))
	require.Equal(t, []string{"A. Smith must sign", "2.5 metres must lie between"}, contents("| a | b |\n| --- | --- |\n| A. Smith must sign | 2.5 metres must lie between |\n"))
}

func TestCodeInAnItemGivesNoRulesAndEndsNoList(t *testing.T) {
	require.Equal(t, []string{"You must never: run this", "You must never: stop that"},
		contents("You must never:\n\n- run this\n\n  ```sh\n  you must not read this\n  ```\n\n- stop that\n"))
}

func TestFrontMatterGivesNoRules(t *testing.T) {
	require.Equal(t, []string{"Gates must be shut."}, contents("---\ntitle: Doors must be shut.\nrules:\n  - Never leave the door\n---\n\nGates must be shut.\n"))
}

func TestCategoryIsTheNearestHeading(t *testing.T) {
	found := rules.Extract("You must read on.\n\n# A *title*\n\n## Doors\n\nDoors must be shut.").Rules
	require.Len(t, found, 2)
	require.Empty(t, found[0].Category)
	require.Equal(t, "Doors", found[1].Category)
}

func TestIdentitySurvivesWhatDoesNotChangeTheMeaning(t *testing.T) {
	same := []string{"Doors must be “shut”", "doors MUST be \"shut\".", "**Doors** must  be\n\"shut\"!", "[Doors](http://a.b) must be \"shut\""}
	for _, text := range same {
		require.Equal(t, rules.Identity(same[0]), rules.Identity(text), text)
	}
	require.NotEqual(t, rules.Identity(same[0]), rules.Identity("Doors must not be shut"))
	require.Len(t, contents("Doors must be shut.\n\n- doors must be shut\n"), 1)
}

func TestLengthAndCount(t *testing.T) {
	long := strings.Repeat("one two three four ", 40)
	result := rules.Extract("You must do this; and " + long + "; and nobody may not " + long + "; doors must be shut.")
	require.Equal(t, 1, result.Skipped)
	require.Len(t, result.Rules, 2)

	var many strings.Builder
	for i := range rules.MaxRules + 5 {
		many.WriteString("- Item " + strings.Repeat("x", i%50) + strings.Repeat("y", i/50) + " must be done\n")
	}
	result = rules.Extract(many.String())
	require.Len(t, result.Rules, rules.MaxRules)
	require.True(t, result.Truncated)
}

// What is a rule by where it stands is cut as a sentence is, and each part stands where
// the whole does.
func TestLongItemsAreCutAtTheirSemicolons(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("one two three four ", 40))
	parts := "close the upper valve; " + long + "; is it shut?; oil the lower valve; "
	item := "open both valves " + strings.Repeat("very ", 100) + "slowly; " + parts
	for name, c := range map[string]struct {
		text, lead string
	}{
		"a tick box":             {"- [ ] " + item, ""},
		"a lead-in":              {"Staff must:\n\n- " + item, "Staff must: "},
		"a heading":              {"# Required\n\n- " + item, ""},
		"a number and a heading": {"# Checklist\n\n1. " + item, ""},
	} {
		found := rules.Extract(c.text)
		var contents []string
		for _, r := range found.Rules {
			contents = append(contents, r.Content)
		}
		want := []string{
			c.lead + "open both valves " + strings.Repeat("very ", 100) + "slowly", c.lead + "close the upper valve", c.lead + "oil the lower valve",
		}
		require.Equal(t, want, contents, name)
		require.Equal(t, 1, found.Skipped, "%s: the part that is too long itself", name)
	}
	short := "- [ ] open the valve; close the valve"
	require.Equal(t, []string{"open the valve; close the valve"}, contents(short))
}

func FuzzExtract(f *testing.F) {
	f.Add("# Do\n- [ ] a b c\nYou must:\n* x | \"y\"")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range rules.Extract(text).Rules {
			require.LessOrEqual(t, utf8.RuneCountInString(r.Content), rules.MaxLength)
			require.GreaterOrEqual(t, len(strings.Fields(r.Content)), rules.MinWords)
		}
	})
}
