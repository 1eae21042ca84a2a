package rules

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Marker words, looked for in lower case with straight apostrophes.
var (
	duty = regexp.MustCompile(`\b(must|mustn't|shall|shan't|ought to|needs? to|ha(s|ve) to|(is|are) required|required to|requires|mandatory|ensure|make sure|be sure to)\b`)
	ban  = regexp.MustCompile(`\b(do not|don't|never|cannot|may not|avoid|refrain from|prohibited|forbidden|not allowed|not permitted)\b`)
	// bound and between count with a number within five words.
	bound    = regexp.MustCompile(`\b(at least|at most|no more than|not more than|no less than|no fewer than|no later than|minimum|maximum)\b`)
	between  = regexp.MustCompile(`\bbetween\b((\W+\w+){1,5}?)\W+and\b((\W+\w+){0,5})`)
	quantity = regexp.MustCompile(`[0-9]|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(thir|four|fif|six|seven|eigh|nine)teen|` +
		`(twen|thir|for|fif|six|seven|eigh|nine)ty(-\w+)?|hundred|thousand|million|dozen|half|once|twice)\b`)
	// weak ones do not count in a clause whose verb is in the past.
	weak = regexp.MustCompile(`\b(always|only|exclusively|without exception|should|shouldn't)\b`)
	// compound is a word that is joined to the next one: read-only is no marker.
	compound = regexp.MustCompile(`(\w)-\b`)
)

// idle are uses of a marker that say nothing: necessities of the past, duties that
// are negated, not only and the only.
var idle = regexp.MustCompile(`\b(had to|(was|were|wasn't|weren't)( \w+ly| not| never)? required( to)?|would have to|not only|the only|if only|only one of` +
	`|(not|\w+n't|never|no longer)( be| \w+ly)? (required|obliged) to|no(body| one| \w+) ((is|are) required( to)?|(has|have|needs?) to)|no need to|need not|needn't` +
	`|((do|does|did|will|would|is|are)( not|n't) |never |(did|would|wo)n't )(\w+ly )?(need|have|be required) to)\b`)

// Quotation marks after folding are straight double ones.
var quotation = regexp.MustCompile(`"[^"]*"`)

// hints are words of which every marker of a kind has one. Most sentences have none,
// and to look for these costs far less than to look for the markers.
var (
	dutyHints  = []string{"must", "sha", "ought", "need", "has to", "have to", "require", "mandatory", "ensure", "sure"}
	banHints   = []string{" not", "don't", "never", "cannot", "avoid", "refrain", "prohibited", "forbidden"}
	boundHints = []string{"least", "most", " than", "minimum", "maximum", "between"}
	weakHints  = []string{"always", "only", "exclusively", "without exception", "should"}
	idleHints  = []string{"have to", "had to", "only", "require", "oblige", "need", "no"}
)

func hinted(text string, by []string) bool {
	return slices.ContainsFunc(by, func(hint string) bool { return strings.Contains(text, hint) })
}

// normative reports whether a text contains a marker that counts.
func normative(text string) bool {
	text = fold(text)
	if !marks(text) {
		return false
	}
	if strings.Contains(text, `"`) {
		text = quotation.ReplaceAllStringFunc(text, func(q string) string { return strings.Repeat("x", len(q)) })
	}
	marked := text
	if strings.Contains(text, "-") {
		marked = compound.ReplaceAllString(marked, "${1}_")
	}
	if hinted(text, idleHints) {
		marked = idle.ReplaceAllStringFunc(marked, blank)
	}
	if !marks(marked) || utf8.RuneCountInString(text) > MaxLength {
		return marks(marked)
	}
	words := tagged(text)
	for _, part := range append(conditions(words, text), perfects(words, text)...) {
		marked = marked[:part[0]] + blank(marked[part[0]:part[1]]) + marked[part[1]:]
	}
	return strict(marked) || slices.ContainsFunc(weaks(marked), func(at []int) bool { return !past(words, at[0]) })
}

func blank(text string) string { return strings.Repeat(" ", len(text)) }

// marks reports whether there is a marker at all.
func marks(text string) bool { return strict(text) || len(weaks(text)) > 0 }

// weaks returns where the markers stand that do not count in the past.
func weaks(text string) [][]int {
	if !hinted(text, weakHints) {
		return nil
	}
	return weak.FindAllStringIndex(text, -1)
}

// strict reports whether there is a marker that counts whatever the main verb.
func strict(text string) bool {
	return hinted(text, dutyHints) && duty.MatchString(text) || hinted(text, banHints) && ban.MatchString(text) || bounded(text)
}

// bounded reports whether there is a bound with its number.
func bounded(text string) bool {
	if !hinted(text, boundHints) {
		return false
	}
	for _, at := range bound.FindAllStringIndex(text, -1) {
		before, after := strings.Fields(text[max(0, at[0]-maxNear):at[0]]), strings.Fields(text[at[1]:min(len(text), at[1]+maxNear)])
		near := slices.Concat(before[max(0, len(before)-5):], after[:min(5, len(after))])
		if quantity.MatchString(strings.Join(near, " ")) {
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

// maxNear is how far from a bound its number is looked for, in bytes: five words
// seldom have more, and a text without spaces must not be read again and again.
const maxNear = 80

func question(text string) bool {
	return strings.HasSuffix(strings.TrimRight(strings.TrimSpace(text), `"'”’)`), "?")
}

// headingWords are what a normative heading begins with.
var headingWords = regexp.MustCompile(`^(the )?(do|dos|do'?s|do this|don'?ts?|don't's|always|never|avoid|must|must[- ]haves?|required|requirements?|prohibited|not allowed|checklists?)\b`)

func normativeHeading(heading string) bool {
	heading = strings.Trim(fold(heading), " .:!0123456789)")
	return !question(heading) && headingWords.MatchString(heading)
}
