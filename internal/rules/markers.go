package rules

import (
	"regexp"
	"slices"
	"strings"
)

// Marker words, looked for in lower case with straight apostrophes.
var (
	duty = regexp.MustCompile(`\b(must|mustn't|shall|shan't|shouldn't|ought to|needs? to|ha(s|ve) to|(is|are) required|required to|requires|mandatory|ensure|make sure|be sure to)\b`)
	ban  = regexp.MustCompile(`\b(do not|don't|never|cannot|may not|avoid|refrain from|prohibited|forbidden|not allowed|not permitted)\b`)
	// bound counts with a number within five words.
	bound     = regexp.MustCompile(`\b(at least|at most|no more than|not more than|no less than|no fewer than|no later than|minimum|maximum)\b((\W+\w+){0,5})`)
	between   = regexp.MustCompile(`\bbetween\b((\W+\w+){1,5}?)\W+and\b((\W+\w+){0,5})`)
	quantity  = regexp.MustCompile(`[0-9]|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|thousand|half|twice)\b`)
	universal = regexp.MustCompile(`\b(always|only|exclusively|without exception)\b`)
	should    = regexp.MustCompile(`\bshould\b`)
)

// supposed are necessities of the past, and uses of a marker that say nothing.
var supposed = regexp.MustCompile(`\b((must|should|shall|ought to)(n't| not)? have (been|\w+ed)|had to|(was|were)(n't| not)? required|would have to|not only|the only|if only|only one of)\b`)

// The main verb is taken to be in the past when there is a past form and no
// auxiliary of the present, and the sentence does not begin with a verb that
// orders.
var (
	pastForm = regexp.MustCompile(`\b(was|were|had|did|went|came|said|made|took|gave|got|found|knew|thought|became|began|wrote|saw|told|left|felt|held|brought|stood|ran|paid|led|spent|lost|built|sold|won|used|[a-z]{3,}ed)\b`)
	// notPast end like a past form and are none.
	notPast = regexp.MustCompile(`\b(exceed|proceed|succeed|indeed|speed|hundred)\b`)
	present = regexp.MustCompile(`\b(is|are|be|has|have|can|may|will|do|does|must|shall|needs?|applies|applied by)\b`)
	orders  = regexp.MustCompile(`^(use|keep|store|wear|send|give|pay|take|make|accept|allow|buy|call|check|choose|close|connect|delete|enter|include|install|leave|lock|open|park|print|publish|put|record|release|remove|report|return|run|save|share|ship|show|sign|speak|start|stop|submit|test|turn|visit|wait|wash|work|write|always|only|never)\b`)
)

// Quotation marks after folding are straight double ones.
var quotation = regexp.MustCompile(`"[^"]*"`)

// hints are words of which every marker has one, boundHints those of bounds. Most
// sentences have none, and to look for these costs far less than to look for all
// markers.
var (
	hints = append([]string{
		"must", "shall", "shan't", "should", "ought", "need", "has to", "have to", "require", "mandatory", "ensure", "sure to", "make sure",
		"don't", "never", "not", "avoid", "refrain", "prohibited", "forbidden", "always", "only", "exclusively", "without exception",
	}, boundHints...)
	boundHints = []string{"least", "most", " than", "minimum", "maximum", "between"}
)

func hinted(text string, by []string) bool {
	return slices.ContainsFunc(by, func(hint string) bool { return strings.Contains(text, hint) })
}

// normative reports whether a text contains a marker that counts.
func normative(text string) bool {
	if text = fold(text); !hinted(text, hints) {
		return false
	}
	text = supposed.ReplaceAllString(quotation.ReplaceAllString(text, " "), " ")
	if duty.MatchString(text) || ban.MatchString(text) || bounded(text) {
		return true
	}
	return (universal.MatchString(text) || should.MatchString(text)) && !past(text)
}

func bounded(text string) bool {
	if !hinted(text, boundHints) {
		return false
	}
	for _, m := range bound.FindAllStringSubmatch(text, -1) {
		if quantity.MatchString(m[2]) {
			return true
		}
	}
	for _, m := range between.FindAllStringSubmatch(text, -1) {
		if quantity.MatchString(m[1]) && quantity.MatchString(m[3]) {
			return true
		}
	}
	return false
}

func past(text string) bool {
	return pastForm.MatchString(notPast.ReplaceAllString(text, " ")) && !present.MatchString(text) && !orders.MatchString(strings.TrimSpace(text))
}

func question(text string) bool {
	return strings.HasSuffix(strings.TrimRight(strings.TrimSpace(text), `"'”’)`), "?")
}

// headingWords make a heading normative wherever they stand in it; headingAlone
// are the whole of it.
var (
	headingWords = regexp.MustCompile(`\b(don'ts?|always|never|avoid|must|must-haves?|required|requirements?|prohibited|not allowed|checklists?)\b`)
	headingAlone = regexp.MustCompile(`^(the )?(do|dos|do's|do this)$`)
)

func normativeHeading(heading string) bool {
	heading = strings.Trim(fold(heading), " .:!0123456789)")
	return heading != "" && !question(heading) && (headingWords.MatchString(heading) || headingAlone.MatchString(heading))
}
