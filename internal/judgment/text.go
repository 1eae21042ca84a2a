package judgment

import "strings"

// instead is how many characters of the content stand for a reasoning that is empty.
const instead = 300

// ReviewText is the text of a judgment's review vector, what was decided and why: the
// decision, a line break and the reasoning, or the first 300 characters of the content
// where the reasoning is blank.
func ReviewText(decision, reasoning, content string) string {
	why := reasoning
	if strings.TrimSpace(why) == "" {
		why = content
		if characters := []rune(why); len(characters) > instead {
			why = string(characters[:instead])
		}
	}
	return decision + "\n" + why
}
