package suggest

import (
	"math"
	"time"
)

// Scope is how far around the question judgments were looked for.
type Scope string

// The scopes from the narrowest to the widest, by their names in the interface.
const (
	Document     Scope = "document"
	Organization Scope = "organization"
	Workspace    Scope = "apiKey"
)

var labels = map[Scope]string{Document: "This document", Organization: "This organization", Workspace: "All content"}

// Label names the scope for people; empty for a scope that is none of the three.
func (s Scope) Label() string { return labels[s] }

// Thresholds belong to an embedding model. Likeness is 0 to 1.
type Thresholds struct {
	// Unrelated is the cosine, below 1, at which likeness begins.
	Unrelated float64
	// Spread is by how much the likeness of what is unrelated differs.
	Spread float64
	// Strong is the likeness, above 0, from which on a judgment is about the same thing.
	Strong float64
	// SameReason is the cosine of two reasonings from which on they say the same.
	SameReason float64
}

// fewest is the least number of judgments that one is looked for among: of fewer the
// nearest one is no measure of chance.
const fewest = 5

// floor is the likeness that the nearest of n unrelated judgments is expected to have by
// chance: the greatest of n normal numbers is near √(2 ln n) times their deviation.
func (t Thresholds) floor(n int) float64 {
	return t.Spread * math.Sqrt(2*math.Log(float64(max(n, fewest))))
}

// Likeness of a judgment to a question: three parts of what was judged, one of what was
// decided and why.
func Likeness(content, review float64) float64 { return (3*content + review) / 4 }

// Candidate is a judgment, an approval or a rejection, that was found near the question;
// each is given once.
type Candidate struct {
	RecordID   string
	ReviewerID string
	// Agent says that ReviewerID is that of an agent, which is never the same reviewer
	// as a human of that id.
	Agent bool
	// Group is what a reviewer has one vote about: a key of the document, or of the
	// thread where there is no document. Empty stands for the record alone.
	Group    string
	Approves bool
	// Likeness to the question and Confidence of the judgment, both 0 to 1.
	Likeness, Confidence float64
	CreatedAt            time.Time
	Reasoning            string
	// Review is the unit vector of decision and reasoning, by which reasonings are
	// found to say the same; without it only their words are compared. Content is that of
	// what was judged. By both it is known how like everything the judgment is.
	Review, Content []float32
}

// Circumstances are what a suggestion depends on besides the candidates.
type Circumstances struct {
	Now        time.Time
	Thresholds Thresholds
	// Among is how many judgments there are where the candidates were found: at least as
	// many as candidates.
	Among int
	// UpdatedSources counts the knowledge sources, in the scope or in none, of which
	// version 2 or later went live in the last 48 hours.
	UpdatedSources int
	// Unsearched are the scopes that ran out of time, in the order in which they were
	// tried.
	Unsearched []Scope
}

// Side is what one side of the votes advises.
type Side struct {
	Approves bool
	// Confidence is 0 to 1, to three decimals.
	Confidence float64
	// BasedOn counts the votes of the side, UniqueReviewers who cast them.
	BasedOn, UniqueReviewers int
	// TopReasons are sentences of the side's judgments word for word, the weightiest
	// first: at most 3, each of at most 200 characters.
	TopReasons []string
	// Caveats are sentences for people in fixed words.
	Caveats []string
}

// Result is a suggestion: Primary is the leading side, or nil where there is too little
// to advise anything; Conflict is the other side where it weighs too much to be left out.
type Result struct {
	Primary, Conflict *Side
	// Margin is by how much the second nearest candidate, which it takes for an advice, is
	// above the floor or, below 0, under it; -1 with fewer than two candidates.
	Margin float64
}

// fewestVotes are what a side needs to be shown.
const fewestVotes = 2

// conflictShare is the part of the whole weight with which the minority is shown.
const conflictShare = 0.30

// Decide returns what the candidates of one scope advise. There is a primary where the
// leading side has at least 2 votes, and besides it a conflict where the other has at
// least 2 votes and 30 % of the weight.
func Decide(candidates []Candidate, c Circumstances) Result {
	_, unrelated, _ := related(candidates, c)
	near, _, margin := related(peculiar(candidates, unrelated, c.Thresholds), c)
	result := advise(near, c)
	result.Margin = margin
	return result
}

func advise(near []Candidate, c Circumstances) Result {
	leading, minority := weigh(cast(near, c))
	if len(leading.votes) < fewestVotes {
		return Result{}
	}
	primary := leading.show(minority, c.Thresholds)
	if len(minority.votes) < fewestVotes || !atLeast(minority.weight, conflictShare*(leading.weight+minority.weight)) {
		primary.Caveats = warnings(leading, nil, c)
		return Result{Primary: primary}
	}
	conflict := minority.show(leading, c.Thresholds)
	primary.Caveats, conflict.Caveats = warnings(leading, &minority, c), []string{minorityView(leading, minority)}
	return Result{Primary: primary, Conflict: conflict}
}
