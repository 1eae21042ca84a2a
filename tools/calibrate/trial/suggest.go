package trial

import (
	"fmt"
	"slices"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/suggest"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// candidates are looked at in a scope for each of the two vectors, as memory/suggest does.
const candidates = 100

// asked is a situation with what is near its query in each scope.
type asked struct {
	kind labelled.Kind
	// own are candidates of the situation's organization, all those of the workspace, in
	// which every situation of both halves is an organization.
	own, all []suggest.Candidate
}

// past is a judgment of a situation as it votes, with its content vector.
type past struct {
	suggest.Candidate

	content []float32
}

// situations finds the candidates of every situation, once for all thresholds.
func (t *Trial) situations() (found [2][]asked) {
	var all []past
	own := make([][]past, len(t.sets.Situations))
	for i := range t.sets.Situations {
		own[i] = t.history(&t.sets.Situations[i])
		all = append(all, own[i]...)
	}
	for i := range t.sets.Situations {
		s := &t.sets.Situations[i]
		query := t.review(t.queries[s.Query])
		found[s.Half()] = append(found[s.Half()], asked{kind: s.Kind, own: near(query, own[i]), all: near(query, all)})
	}
	return found
}

// history are the past judgments of a situation.
func (t *Trial) history(s *labelled.Situation) []past {
	judgments := make([]past, len(s.History))
	for i := range s.History {
		j := &s.History[i]
		judgments[i] = past{content: t.review(t.vectors[j.Content]), Candidate: suggest.Candidate{
			RecordID: fmt.Sprintf("%s/%02d", s.ID, i), ReviewerID: j.Reviewer, Agent: j.Agent, Group: s.ID + "/" + j.Document,
			Approves: j.Decision == judgment.Approve, Confidence: j.Confidence, CreatedAt: madeAt(j), Reasoning: j.Reasoning,
			Review: t.review(t.vectors[reviewOf(j)]),
		}}
	}
	return judgments
}

// near returns the nearest judgments by content and by review; one may be there for each.
func near(query []float32, among []past) []suggest.Candidate {
	var found []suggest.Candidate
	for _, vector := range []func(past) []float32{
		func(p past) []float32 { return p.content },
		func(p past) []float32 { return p.Review },
	} {
		rated := make([]suggest.Candidate, len(among))
		for i, p := range among {
			rated[i] = p.Candidate
			rated[i].Similarity = similarity(query, vector(p))
		}
		found = append(found, nearest(rated, func(c suggest.Candidate) float64 { return c.Similarity }, candidates)...)
	}
	return slices.Clip(found)
}

// suggestions is how the situations of a half fare.
func (t *Trial) suggestions(half labelled.Half, with embed.Thresholds) suggested {
	var s suggested
	for _, a := range t.asked[half] {
		s.note(a.kind, a.advice(with))
	}
	return s
}

// advice is that of the narrowest scope that has one.
func (a asked) advice(with embed.Thresholds) suggest.Result {
	thresholds := suggest.Thresholds{Floor: with.Floor, Strong: with.Strong, Wide: with.Wide}
	for _, scope := range []suggest.Scope{suggest.Organization, suggest.Workspace} {
		found := a.own
		if scope == suggest.Workspace {
			found = a.all
		}
		advice := suggest.Decide(found, suggest.Circumstances{Now: now, Thresholds: thresholds, Scope: scope})
		if advice.Primary != nil {
			return advice
		}
	}
	return suggest.Result{}
}

// suggested counts what was suggested against what a careful reviewer expects.
type suggested struct {
	right, null share
	conflict    detection
	sure        brier
}

func (s *suggested) note(kind labelled.Kind, r suggest.Result) {
	s.right.note(right(kind, r))
	if kind == labelled.Unknown {
		s.null.note(r.Primary == nil)
	}
	s.conflict.note(r.Conflict != nil, kind == labelled.Split)
	if r.Primary != nil {
		s.sure.note(r.Primary.Confidence, recommends(r, kind))
	}
}

// right reports whether the answer is of the kind: what people decided and no conflict, a
// conflict where they were split, nothing where nothing is known.
func right(kind labelled.Kind, r suggest.Result) bool {
	switch kind {
	case labelled.Split:
		return r.Conflict != nil
	case labelled.Unknown:
		return r.Primary == nil
	default:
		return r.Conflict == nil && recommends(r, kind)
	}
}

// recommends reports whether the label is what is recommended; those of split and unknown
// situations never are.
func recommends(r suggest.Result, kind labelled.Kind) bool {
	if r.Primary == nil {
		return false
	}
	return kind == labelled.Approve && r.Primary.Approves || kind == labelled.Reject && !r.Primary.Approves
}

func (s suggested) figures() []float64 {
	return []float64{s.right.value(0), s.null.value(0), s.conflict.f1(), s.sure.value()}
}
