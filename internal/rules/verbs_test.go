package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/rules"
)

func TestWordsThatLookLikePastVerbs(t *testing.T) {
	for _, sentence := range []string{
		"All passwords must have mixed case.", "Every sign must have red letters.", "You should read the attached notes.",
		"Visitors should not touch exposed wires.", "Staff only use approved suppliers.",
	} {
		require.Equal(t, []string{sentence}, contents(sentence), sentence)
	}
	require.Empty(t, contents("They must have forgotten the badge."))
}

// each returns the lines of a text.
func each(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

func TestTheMainVerbDecides(t *testing.T) {
	for _, sentence := range each(`
The driver, who left early yesterday, should report to the office.
Reports that were sent late should be marked.
Applications received after the deadline should be returned.
Only accepted offers count.
Guests only enter through marked doors.
Employees always wear issued helmets.
Cooks only handle washed vegetables.
Keep only sealed boxes on the shelf.
Put cut flowers only in clean water.
Drivers always shut the gate.
Read the posted rules only once a year.
You should put used cups in the sink.
Damaged goods should be returned at once.
Employees who worked overtime should record it.
Staff hired last year should renew their badge.
Anything left on the desk should be removed.
The clerk only accepts stamped envelopes.
Water is only drunk boiled.
Only designated persons operate the crane.
We have always kept records.
Use only licensed images.
Always credit quoted sources.
Whoever opened the door should close it.
Guards only admit invited people.
Quoted text should be set in italics.
Requests received on Friday should wait until Monday.
Those who failed should try again.
Once signed, contracts should be filed.`) {
		require.Equal(t, []string{sentence}, contents(sentence), sentence)
	}
	for _, sentence := range each(`
He only ever paid in cash.
The committee only accepted written offers.
Members always voted in the open.
My grandfather always said that one should save money.
The chairman suggested that everyone should leave.
The chairman suggested everyone should leave.
We thought members should attend.
The tests were only run once.
Only the manager knew the code.
The driver, who always wore gloves, left early.
Water was only drunk boiled.
The policy only changed twice.
They only ever sold used cars.
The old rules only applied to staff.
She asked whether she should stay.
The founder always wore red.
It always rained in May.
Our old car always broke down.
Critics argued the law should change.
It was clear that something should happen.`) {
		require.Empty(t, contents(sentence), sentence)
	}
}

func TestHaveWithAParticipleIsNoDuty(t *testing.T) {
	for _, sentence := range each(`
Each form must have signed consent attached.
All files must have read access for the group.
Badges must have printed names.
The form must have been signed before it is filed.
All data must have been deleted by 31 December.`) {
		require.Equal(t, []string{sentence}, contents(sentence), sentence)
	}
	for _, sentence := range each(`
She must have left before noon.
You should have put it back.
The guard must have seen him.
It must have rained.
You must have read that somewhere.
The form must have been signed by somebody.
The previous policy should have covered this.
The writer must've forgotten the title.
He ought to have called.`) {
		require.Empty(t, contents(sentence), sentence)
	}
}

func TestAMarkerOfAConditionIsNone(t *testing.T) {
	for _, sentence := range each(`
If you smoke, you must go outside.
If a child is lost call the desk and never leave the others alone.
Visitors must sign in when they arrive.
Only when the light is green may you enter.
If required, the guard must have a key.
If the client objects, you must stop.
When asked, always show your badge.`) {
		require.Equal(t, []string{sentence}, contents(sentence), sentence)
	}
	for _, sentence := range each(`
If you must smoke, go outside.
When you need to leave early, ask your manager.
Call us if you need to change the date.
If a, b or c must be changed, ask first.
If you need to stay there are two rooms.`) {
		require.Empty(t, contents(sentence), sentence)
	}
}

func TestNegatedDutiesAreNone(t *testing.T) {
	for _, sentence := range each(`
You need not sign this page.
Employees are not required to work on Sundays.
Members aren't required to vote.
There is no need to call first.
You don't have to wait.
You do not need to print this.
Nobody is required to stay late.`) {
		require.Empty(t, contents(sentence), sentence)
	}
}

func TestPartsOfWordsAreNoMarkers(t *testing.T) {
	require.Empty(t, contents("Here is a read-only copy."))
	require.Equal(t, []string{"One door—only one—is open."}, contents("One door—only one—is open."))
}

func TestBoundsHaveTheirNumberOnEitherSide(t *testing.T) {
	require.Equal(t, []string{"Passwords have 12 characters minimum."}, contents("Passwords have 12 characters minimum."))
	require.Equal(t, []string{"Answer within fifteen days at most."}, contents("Answer within fifteen days at most."))
	require.Empty(t, contents("One of us went home late that day, or at least it seemed so."))
}

// A quarter of a mebibyte without an end to its line, its quotations or its conditions
// is read to its end, in a fraction of a second.
func TestHostileTextsAreReadToTheirEnd(t *testing.T) {
	for _, part := range []string{
		"he always walked to work when they should have left ", "he always walked to work when they should have left; ", "only", `only "`, "if (",
		"at least ", "> ", "He always walked to the old office and left early again. ",
	} {
		require.Empty(t, rules.Extract(strings.Repeat(part, 1<<18/len(part))).Rules, part)
	}
}
