package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// runs of the detection are made, each over the judgments in another order.
const runs = 5

// organization is the one that the practices and the noise of a half are in.
const organization = "acme"

// planted says of which practice a judgment is, by its record id; that of noise is none.
type planted map[string]*labelled.Practice

// members are the judgments of a half.
func (t *Trial) members(half labelled.Half) ([]pattern.Member, planted) {
	var members []pattern.Member
	of := planted{}
	for i := range t.sets.Practices {
		p := &t.sets.Practices[i]
		if p.Half() != half {
			continue
		}
		for n := range p.Judgments {
			id := fmt.Sprintf("%s/%02d", p.ID, n)
			of[id] = p
			members = append(members, t.member(id, &p.Judgments[n]))
		}
	}
	for i := range t.sets.Noise {
		if j := &t.sets.Noise[i]; labelled.HalfOf(j.ID) == half {
			members = append(members, t.member(j.ID, j))
		}
	}
	return members, of
}

func (t *Trial) member(id string, j *labelled.Judgment) pattern.Member {
	return pattern.Member{
		RecordID: id, ReviewerID: j.Reviewer, OrganizationID: organization, DocumentID: j.Document,
		Approves: j.Decision == judgment.Approve, CreatedAt: madeAt(j), Reasoning: j.Reasoning,
		Review: t.judged[reviewOf(j)], Content: t.judged[j.Content],
	}
}

// patterns is how the practices of a half fare, over all content of their organization.
func (t *Trial) patterns(ctx context.Context, half labelled.Half, with embed.Thresholds) (detected, error) {
	members, of := t.members(half)
	detector := pattern.Detector{Threshold: with.Cluster}
	found, err := detector.Detect(ctx, members, pattern.Scope{})
	if err != nil {
		return detected{}, err
	}
	d := of.compare(found)
	d.same.note(true)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // an order, not a secret
	for range runs - 1 {
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		again, err := detector.Detect(ctx, members, pattern.Scope{})
		if err != nil {
			return detected{}, err
		}
		d.same.note(same(found, again))
	}
	return d, nil
}

// same reports whether the patterns of a later run keep the ids of the earlier ones, all of
// them and unchanged.
func same(found, again []pattern.Pattern) bool {
	stored := make([]pattern.Stored, len(found))
	for i, p := range found {
		stored[i] = pattern.Stored{
			ID: fmt.Sprintf("%04d", i), Approve: p.Approve, Members: p.Members, Description: p.Description, Category: p.Category,
		}
	}
	matches := pattern.Match(again, stored)
	for i, p := range again {
		if match := matches[i]; match == nil || !match.Unchanged(p) {
			return false
		}
	}
	return len(found) == len(again)
}

// detected counts what was found of what was planted.
type detected struct{ found, false, same share }

// compare finds the practice of every pattern. A practice is found where a pattern is its
// own, and a pattern is false where it is no practice's own.
func (of planted) compare(patterns []pattern.Pattern) (d detected) {
	met := map[*labelled.Practice]bool{}
	for _, p := range of {
		met[p] = false
	}
	for _, p := range patterns {
		practice := of.practice(p)
		d.false.note(practice == nil)
		if practice != nil {
			met[practice] = true
		}
	}
	for _, found := range met {
		d.found.note(found)
	}
	return d
}

// practice of a pattern is that of more than half of its members, if the decision is the
// same too.
func (of planted) practice(p pattern.Pattern) *labelled.Practice {
	counts := map[*labelled.Practice]int{}
	for _, id := range p.Members {
		counts[of[id]]++
	}
	for practice, n := range counts {
		if practice != nil && 2*n > len(p.Members) && (practice.Decision == judgment.Approve) == p.Approve {
			return practice
		}
	}
	return nil
}

func (d detected) figures() []float64 {
	return slices.Clip([]float64{d.found.value(0), d.false.value(0), d.same.value(0)})
}

// plantedSet are judgments among which practices are to be found, by the scope in which each
// is one: of an organization, or "" for the workspace as a whole.
type plantedSet struct {
	name   string
	scopes map[string][]pattern.Member
	of     map[string]planted
}

// plantedSets are both halves, and the further set.
func (t *Trial) plantedSets() []plantedSet {
	var sets []plantedSet
	for half, name := range []string{"patterns, tuning half", "patterns, proof half"} {
		members, of := t.members(labelled.Half(half))
		sets = append(sets, plantedSet{name, map[string][]pattern.Member{organization: members}, map[string]planted{organization: of}})
	}
	return append(sets, t.furtherPlanted())
}

// plantedOf are the judgments of the further set.
func plantedOf(sets *labelled.Sets) []labelled.Judgment {
	all := make([]labelled.Judgment, len(sets.Planted.Judgments))
	for i, j := range sets.Planted.Judgments {
		all[i] = labelled.Judgment{
			Reviewer: j.Reviewer, Decision: j.Decision, Reasoning: j.Reasoning, Content: j.Content, Document: j.DocumentID, AgeDays: j.Age,
		}
	}
	return all
}

// oldest is the age in days up to which judgments are looked through.
const oldest = 365

// furtherPlanted has each judgment in its organization and in the workspace, where only what
// spans organizations is a practice.
func (t *Trial) furtherPlanted() plantedSet {
	set := plantedSet{"patterns-a", map[string][]pattern.Member{}, map[string]planted{"": {}}}
	practices := map[string]*labelled.Practice{}
	practice := func(name, decision string) *labelled.Practice {
		if practices[name] == nil {
			practices[name] = &labelled.Practice{ID: name, Decision: decision}
		}
		return practices[name]
	}
	for i, judged := range plantedOf(t.sets) {
		j := &t.sets.Planted.Judgments[i]
		if j.Age > oldest || j.Decision != judgment.Approve && j.Decision != judgment.Reject {
			continue
		}
		m := t.member(fmt.Sprintf("%s/%03d", j.Group, j.N), &judged)
		m.OrganizationID = j.OrganizationID
		set.scopes[""] = append(set.scopes[""], m)
		group, is := t.sets.Planted.Groups[j.Group]
		if j.OrganizationID != "" {
			set.scopes[j.OrganizationID] = append(set.scopes[j.OrganizationID], m)
			if set.of[j.OrganizationID] == nil {
				set.of[j.OrganizationID] = planted{}
			}
		}
		if is {
			set.of[j.OrganizationID][m.RecordID] = practice(j.Group, group.Decision)
		}
		if is && group.Span != nil {
			set.of[""][m.RecordID] = practice(*group.Span, group.Decision)
		}
	}
	return set
}

// detect is how the practices of a set fare over all content.
func (s plantedSet) detect(ctx context.Context, detector *pattern.Detector) (d detected, err error) {
	for in, members := range s.scopes {
		found, err := detector.Detect(ctx, members, pattern.Scope{WorkspaceWide: in == ""})
		if err != nil {
			return d, err
		}
		own := s.of[in].compare(found)
		d.found.holding, d.found.of = d.found.holding+own.found.holding, d.found.of+own.found.of
		d.false.holding, d.false.of = d.false.holding+own.false.holding, d.false.of+own.false.of
	}
	return d, nil
}
