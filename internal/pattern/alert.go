package pattern

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Types of alerts, and how grave they are.
const (
	Drift    = "standards_drift"
	Anomaly  = "anomaly"
	Emerging = "emerging_standard"

	Low    = "low"
	Medium = "medium"
	High   = "high"
)

// Severities are in ascending order.
var Severities = []string{Low, Medium, High}

const (
	// MostAlerts is how many alerts of a scope are given, the gravest: as many as anybody may want
	// in a week.
	MostAlerts = 50
	// mostMembers is how many members an alert names, enough to know its cluster again. All of
	// them would be as many for each reviewer who decides against the others.
	mostMembers = 200
)

// What the practice of today is compared with: the last 90 days, counted in days of UTC, with those
// before.
const (
	currentDays  = 90
	baselineDays = 365
)

// Alert is something about a cluster that people may want to know: that a practice has turned, that a reviewer
// decides against a pattern, that there is a new kind of thing without a practice.
type Alert struct {
	Type     string `json:"type"`
	Severity string `json:"severity"`
	// Title, Description and Action are sentences for people.
	Title       string `json:"title"`
	Description string `json:"description"`
	Action      string `json:"action"`
	// Metric is what Baseline and Current are of.
	Metric   string    `json:"metric"`
	Baseline float64   `json:"baseline"`
	Current  float64   `json:"current"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	// ReviewerID is whom an anomaly is about, Pattern the position of what they decide against among the found
	// ones, below 0 for none.
	ReviewerID string `json:"reviewerId"`
	Pattern    int    `json:"-"`
	PatternID  string `json:"patternId"`
	// Votes are how many it rests on, Oldest when the oldest member was made, Medoid the judgment that is quoted.
	// Members are the first ones of the cluster in ascending order.
	Votes   int       `json:"votes"`
	Oldest  time.Time `json:"oldest"`
	Medoid  string    `json:"medoid"`
	Members []string  `json:"members"`
	Sources []string  `json:"sources"`
}

// window is the practice of today, which begins at a midnight, and what was before.
type window struct{ start, today time.Time }

func windowOf(now time.Time) window {
	today := now.UTC().Truncate(24 * time.Hour)
	return window{today.AddDate(0, 0, -currentDays), today}
}

func (w window) isCurrent(m Member) bool { return !m.CreatedAt.Before(w.start) }

func (w window) isBaseline(m Member) bool {
	return m.CreatedAt.Before(w.start) && !m.CreatedAt.Before(w.today.AddDate(0, 0, -baselineDays))
}

// Graver orders alerts: the gravest first, then those of most votes, then the oldest.
func Graver(a, b Alert) int {
	return cmp.Or(
		cmp.Compare(slices.Index(Severities, b.Severity), slices.Index(Severities, a.Severity)), cmp.Compare(b.Votes, a.Votes), a.Oldest.Compare(b.Oldest),
	)
}

// gravest are so many alerts at most, in their order where they are no more.
func gravest(all []Alert) []Alert {
	if len(all) <= MostAlerts {
		return all
	}
	slices.SortStableFunc(all, Graver)
	return all[:MostAlerts]
}

// alerts are what stands out among clusters, in their order; patterns says of the position of a cluster's first member which
// found pattern it is.
func alerts(clusters []cluster, scope Scope, patterns map[string]int) (all []Alert) {
	w := windowOf(scope.Now)
	for _, c := range clusters {
		votes := votes(c)
		if len(votes) < minVotes || scope.WorkspaceWide && !shared(votes) {
			continue
		}
		of := subject{cluster: c, votes: votes, window: w, pattern: -1}
		if at, is := patterns[c[0].RecordID]; is {
			of.pattern = at
		}
		all = append(all, of.drift()...)
		all = append(all, of.anomalies()...)
		all = append(all, of.emerging()...)
	}
	return gravest(all)
}

// subject is the cluster that alerts may be about.
type subject struct {
	cluster, votes cluster
	window         window
	pattern        int
}

// alert fills what all alerts have; quoted are the votes of which one is quoted.
func (s subject) alert(kind, severity string, quoted cluster) Alert {
	medoid := medoid(s.cluster, quoted)
	oldest := s.cluster[0].CreatedAt
	for _, m := range s.cluster {
		if m.CreatedAt.Before(oldest) {
			oldest = m.CreatedAt
		}
	}
	return Alert{
		Type: kind, Severity: severity, Start: s.window.start, End: s.window.today, Pattern: s.pattern, Votes: len(quoted), Oldest: oldest,
		Medoid: medoid.RecordID, Members: s.cluster[:min(len(s.cluster), mostMembers)].ids(), Sources: top(quoted, medoid), Description: firstSentence(medoid.Reasoning),
	}
}

// say puts the fixed phrases before what is quoted.
func (a Alert) say(title, action, format string, figures ...any) Alert {
	a.Title, a.Action = title, action
	a.Description = strings.TrimSpace(fmt.Sprintf(format, figures...) + " " + a.Description)
	return a
}

func approving(votes cluster) (n int) {
	for _, vote := range votes {
		if vote.Approves {
			n++
		}
	}
	return n
}

func share(n, of int) float64 { return float64(n) / float64(of) }

// When a practice has turned: a baseline that agrees, and a rate of approval that has moved.
const (
	movedAtLeast = 0.25
	movedFar     = 0.5
)

// drift compares the rate of approval of today with that before.
func (s subject) drift() []Alert {
	current, baseline := slices.Clone(s.votes), slices.Clone(s.votes)
	current = slices.DeleteFunc(current, func(m Member) bool { return !s.window.isCurrent(m) })
	baseline = slices.DeleteFunc(baseline, func(m Member) bool { return !s.window.isBaseline(m) })
	if len(current) < minVotes || len(baseline) < minVotes {
		return nil
	}
	is, was := share(approving(current), len(current)), share(approving(baseline), len(baseline))
	moved := max(is-was, was-is)
	if 100*max(was, 1-was) < minShare || moved < movedAtLeast {
		return nil
	}
	severity := Low
	switch turned := (is > 0.5) != (was > 0.5) && is != 0.5; {
	case turned && moved >= movedFar:
		severity = High
	case turned:
		severity = Medium
	default:
	}
	a := s.alert(Drift, severity, current)
	a.Metric, a.Baseline, a.Current = "approvalRate", was, is
	return []Alert{a.say("Reviewers decide otherwise than before", "Check whether the standard has changed.",
		"%d of %d approved in the last 90 days, %d of %d before.", approving(current), len(current), approving(baseline), len(baseline))}
}

// When a reviewer decides against a pattern, in percent of their votes of today.
const (
	anomalyVotes, anomalyShare = 5, 60
	graveVotes, graveShare     = 10, 80
)

// userPrefix begins the ids of reviewers who are people.
const userPrefix = "user/"

// anomalies are the people who decide against the pattern.
func (s subject) anomalies() (all []Alert) {
	agreeing, _ := outcome(s.votes)
	if s.pattern < 0 {
		return nil
	}
	approves, by := agreeing[0].Approves, map[string]cluster{}
	for _, vote := range s.votes {
		if s.window.isCurrent(vote) && strings.HasPrefix(vote.ReviewerID, userPrefix) {
			by[vote.ReviewerID] = append(by[vote.ReviewerID], vote)
		}
	}
	for _, reviewer := range byName(by) {
		own := by[reviewer]
		against := slices.DeleteFunc(slices.Clone(own), func(m Member) bool { return m.Approves == approves })
		if len(own) < anomalyVotes || 100*len(against) < anomalyShare*len(own) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(s.votes), func(m Member) bool { return m.ReviewerID == reviewer })
		with := slices.DeleteFunc(slices.Clone(others), func(m Member) bool { return m.Approves != approves })
		severity := Medium
		if len(own) >= graveVotes && 100*len(against) >= graveShare*len(own) {
			severity = High
		}
		a := s.alert(Anomaly, severity, against)
		a.ReviewerID, a.Votes = strings.TrimPrefix(reviewer, userPrefix), len(own)
		a.Metric, a.Current = "enforcementRate", 1-share(len(against), len(own))
		if len(others) > 0 {
			a.Baseline = share(len(with), len(others))
		}
		all = append(all, a.say("A reviewer decides against the others", "Talk it over with the reviewer, or with the others.",
			"%d of %d decisions of one reviewer are against what others decide.", len(against), len(own)))
	}
	return all
}

func byName(by map[string]cluster) []string {
	names := make([]string, 0, len(by))
	for name := range by {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// When there is a new kind of thing: votes of several people, none of them old, that do not agree.
const (
	emergingVotes     = 5
	emergingReviewers = 2
	dividedBelow      = 60
)

// emerging finds things that nobody had to decide about before, and about which reviewers disagree.
func (s subject) emerging() []Alert {
	if slices.ContainsFunc(s.cluster, func(m Member) bool { return !s.window.isCurrent(m) }) {
		return nil
	}
	n := len(s.votes)
	agreeing, _ := outcome(s.votes)
	if n < emergingVotes || reviewers(s.votes) < emergingReviewers || 100*len(agreeing) >= minShare*n {
		return nil
	}
	severity := Low
	if 100*len(agreeing) < dividedBelow*n {
		severity = Medium
	}
	a := s.alert(Emerging, severity, s.votes)
	a.Metric, a.Current = "volume", float64(n)
	return []Alert{a.say("A new kind of item has no standard yet", "Decide on a standard.", "%d approved, %d rejected.", approving(s.votes), n-approving(s.votes))}
}

// Overlaps reports whether two alerts are about the same judgments, as patterns are the same ones. Both are in ascending
// order.
func Overlaps(a, b []string) bool {
	shared := 0
	for _, id := range a {
		if _, in := slices.BinarySearch(b, id); in {
			shared++
		}
	}
	return overlap{shared: shared, union: len(a) + len(b) - shared}.near()
}
