package trial

import (
	"fmt"
	"slices"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/suggest"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// candidates are looked at in a scope, as memory/suggest does.
const candidates = 100

// reviewed is a set of situations. Where there are many look-alikes it is hard.
type reviewed struct {
	name  string
	hard  bool
	asked []asked
}

// asked is a situation with what is near its query: in the situation's organization, then in
// the workspace, in which every situation of both halves is an organization.
type asked struct {
	kind   labelled.Kind
	scopes []scope
	// lure says that an unknown one shares words with judgments of something else.
	lure bool
}

// scope is the candidates among so many judgments, their likeness still a cosine.
type scope struct {
	near  []suggest.Candidate
	among int
}

// situations finds the candidates of every situation, once for all thresholds.
func (t *Trial) situations() []reviewed {
	sets := []reviewed{{name: "tuning half"}, {name: "proof half"}}
	var all []suggest.Candidate
	own := make([][]suggest.Candidate, len(t.sets.Situations))
	for i := range t.sets.Situations {
		s := &t.sets.Situations[i]
		own[i] = t.history(s.ID, s.History)
		all = append(all, own[i]...)
	}
	for i := range t.sets.Situations {
		s := &t.sets.Situations[i]
		in, query := &sets[s.Half()].asked, t.matters[s.Query]
		*in = append(*in, asked{kind: s.Kind, scopes: []scope{near(query, own[i]), near(query, all)}})
	}
	for i := range t.sets.Reviews {
		sets = append(sets, t.further(&t.sets.Reviews[i]))
	}
	return sets
}

// unrelated is how many unknown situations of a further set come before those that share
// words with judgments of something else.
const unrelated = 16

func (t *Trial) further(r *labelled.Reviews) reviewed {
	set, all, unknown := reviewed{name: r.Name, hard: true}, t.history(r.Name, r.History()), 0
	for _, s := range r.Situations {
		a := asked{kind: s.Kind, scopes: []scope{near(t.matters[s.Query], all)}}
		if s.Kind == labelled.Unknown {
			a.lure = unknown >= unrelated
			unknown++
		}
		set.asked = append(set.asked, a)
	}
	return set
}

// history are past judgments of an organization.
func (t *Trial) history(organization string, judged []labelled.Judgment) []suggest.Candidate {
	judgments := make([]suggest.Candidate, len(judged))
	for i := range judged {
		j := &judged[i]
		judgments[i] = suggest.Candidate{
			RecordID: fmt.Sprintf("%s/%03d", organization, i), ReviewerID: j.Reviewer, Agent: j.Agent, Group: organization + "/" + j.Document,
			Approves: j.Decision == judgment.Approve, Confidence: j.Confidence, CreatedAt: madeAt(j), Reasoning: j.Reasoning,
			Review: t.judged[reviewOf(j)], Content: t.judged[j.Content],
		}
	}
	return judgments
}

// near returns the judgments that are nearest by what was judged.
func near(query []float32, among []suggest.Candidate) scope {
	rated := slices.Clone(among)
	for i, c := range among {
		rated[i].Likeness = embed.Cosine(query, c.Content)
	}
	found := slices.Clip(nearest(rated, func(c suggest.Candidate) float64 { return c.Likeness }, candidates))
	for i := range found {
		found[i].Likeness = suggest.Likeness(found[i].Likeness, embed.Cosine(query, found[i].Review))
		found[i].Reasoning = "" // reasons are not measured
	}
	return scope{near: found, among: len(among)}
}

// suggestions is how the situations of a set fare.
func (r reviewed) suggestions(with embed.Thresholds) suggested {
	var s suggested
	for _, a := range r.asked {
		s.note(a, a.advice(with))
	}
	return s
}

// advice is that of the narrowest scope that has one.
func (a asked) advice(with embed.Thresholds) (advice suggest.Result) {
	for _, in := range a.scopes {
		found := slices.Clone(in.near)
		for i := range found {
			found[i].Likeness = with.Likeness(found[i].Likeness)
		}
		advice = suggest.Decide(found, suggest.Circumstances{
			Now: now, Among: in.among, Thresholds: suggest.Thresholds{Unrelated: with.Unrelated, Spread: with.Spread, Strong: with.Strong},
		})
		if advice.Primary != nil {
			return advice
		}
	}
	return advice
}

// suggested counts what was suggested against what a careful reviewer expects.
type suggested struct {
	right, null share
	// lures are unknown situations that share words with judgments of something else,
	// opposite those of which the contrary of the label is recommended, surely right those
	// of a confidence of 0.7 and more that are.
	lures, opposite, surely share
	conflict                detection
	sure                    brier
}

// certain is the confidence from which on a suggestion is meant to be right.
const certain = 0.7

func (s *suggested) note(a asked, r suggest.Result) {
	s.right.note(right(a.kind, r))
	switch {
	case a.kind == labelled.Unknown && a.lure:
		s.lures.note(r.Primary == nil)
	case a.kind == labelled.Unknown:
		s.null.note(r.Primary == nil)
	}
	s.opposite.note(r.Primary != nil && (a.kind == labelled.Approve || a.kind == labelled.Reject) && !recommends(r, a.kind))
	s.conflict.note(r.Conflict != nil, a.kind == labelled.Split)
	if r.Primary == nil {
		return
	}
	s.sure.note(r.Primary.Confidence, recommends(r, a.kind))
	if r.Primary.Confidence >= certain {
		s.surely.note(recommends(r, a.kind))
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

// turn are the figures of a turn, in the order of turnNames.
func (s suggested) turn() []float64 {
	return []float64{s.right.value(0), s.null.value(0), s.lures.value(1), s.opposite.value(0), s.conflict.f1(), s.sure.value(), s.surely.value(1)}
}
