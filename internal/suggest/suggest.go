package suggest

import "time"

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

// Thresholds are similarities that belong to an embedding model, with
// 0 <= Floor < Strong <= 1.
type Thresholds struct {
	// Floor is the similarity below which a judgment has nothing to do with the
	// question. One that is exactly as near counts as a vote, without weight.
	Floor float64
	// Strong is the similarity from which on a judgment is about the same thing.
	Strong float64
	// Wide stands for Floor among all content, if it is higher: among very many judgments
	// something unrelated is near by chance. It only leaves candidates out. What counts
	// weighs from Floor on in every scope, so one similarity means the same everywhere.
	Wide float64
}

// nearness is where a similarity stands between the floor, 0, and equality, 1.
func (t Thresholds) nearness(similarity float64) float64 {
	return (similarity - t.Floor) / (1 - t.Floor)
}

// Candidate is a judgment, an approval or a rejection, that was found near the
// question. One that was found by several of its vectors may be given once for each;
// the most similar of them counts.
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
	// Similarity to the question and Confidence of the judgment, both 0 to 1.
	Similarity, Confidence float64
	CreatedAt              time.Time
	Reasoning              string
	// Review is the unit vector of decision and reasoning, by which reasonings are
	// found to say the same. Without it only their words are compared.
	Review []float32
}

// Circumstances are what a suggestion depends on besides the candidates.
type Circumstances struct {
	Now        time.Time
	Thresholds Thresholds
	// Scope is the one in which the candidates were found.
	Scope Scope
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
type Result struct{ Primary, Conflict *Side }

// fewestVotes are what a side needs to be shown.
const fewestVotes = 2

// conflictShare is the part of the whole weight with which the minority is shown.
const conflictShare = 0.30

// floor is the similarity below which a candidate does not count.
func (c Circumstances) floor() float64 {
	if c.Scope == Workspace {
		return max(c.Thresholds.Floor, c.Thresholds.Wide)
	}
	return c.Thresholds.Floor
}

// Decide returns what the candidates of one scope advise. There is a primary where the
// leading side has at least 2 votes, and besides it a conflict where the other has at
// least 2 votes and 30 % of the weight.
func Decide(candidates []Candidate, c Circumstances) Result {
	leading, minority := weigh(cast(candidates, c))
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
