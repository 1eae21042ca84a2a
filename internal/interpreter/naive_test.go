package interpreter_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// naive is a second interpreter of the rules, written from their text and sharing
// nothing with the first: it keeps one flat list of what happened and asks it again at
// each question. It knows humans, agents, webhook calls and callbacks, notifications,
// groups, loops and deadlines, what operators do (naive_operate_test.go), and edges whose
// test is one of those that flows draw.
type naive struct {
	Nodes []struct {
		NodeID, Type string
		SlaMs        int64
		Config       struct {
			Mode              string
			Reviewers         []naiveReviewer
			AgentID           string
			AgentMaxRuntimeMs int64
			Blocking          bool
			ResolutionPolicy  struct{ MinCount int }
		}
	}
	Edges []struct {
		From, To any
		On, When string
		Loop     *struct{ MaxIterations int }
	}
	Groups []naiveGroup

	now     int64
	steps   []*naiveStep
	rounds  map[int]int // of loops, by the position of their edge
	groups  map[string]string
	asked   map[string]bool
	absorbs map[string]bool
	blamed  map[string]bool
	subs    map[string]string // by node and position, who is asked in another's place
	attempt int
	paused  int64
	status  string
	failure string
	failing string // why it fails, until what else one answer causes is there
	log     []string
}

type naiveGroup struct {
	GroupID               string
	MemberNodeIDs         []string
	ExpectedSteps, Quorum int
	OnQuorumMet           string
	RequiredNodeIDs       []string
}

type naiveReviewer struct {
	UserID    string
	Mandatory bool
}

type naiveStep struct {
	node, status, decision string
	round, attempt         int
	due, timeout           int64
	who                    []naiveReviewer
	said                   map[string]string
	ids                    []string // what a blocking agent announced
	answers                [][2]string
	taken                  bool
	// byFailure and byHand say who cancelled the step.
	byFailure, byHand bool
	early             func() // what a callback does that came before its call had ended
}

func (s *naiveStep) at() string { return fmt.Sprintf("%s %d %d", s.node, s.round, s.attempt) }

func newNaive(text string, now int64) *naive {
	n := &naive{
		now: now, rounds: map[int]int{}, groups: map[string]string{}, asked: map[string]bool{}, absorbs: map[string]bool{},
		blamed: map[string]bool{}, subs: map[string]string{}, status: "pending", attempt: 1,
	}
	if err := json.Unmarshal([]byte(text), n); err != nil {
		panic(err)
	}
	for _, node := range n.Nodes {
		if n.isRoot(node.NodeID) {
			n.add(node.NodeID)
		}
	}
	n.pass(now)
	return n
}

func end(v any) (node, group string) {
	if id, ok := v.(string); ok {
		return id, ""
	}
	return "", v.(map[string]any)["groupId"].(string)
}

func (n *naive) members(group string) []string {
	for _, g := range n.Groups {
		if g.GroupID == group {
			return g.MemberNodeIDs
		}
	}
	return nil
}

func (n *naive) targets(v any) []string {
	if node, group := end(v); group != "" {
		return n.members(group)
	} else {
		return []string{node}
	}
}

func (n *naive) groupOf(node string) int {
	return slices.IndexFunc(n.Groups, func(g naiveGroup) bool { return slices.Contains(g.MemberNodeIDs, node) })
}

func (n *naive) isRoot(node string) bool {
	for _, e := range n.Edges {
		if e.Loop == nil && slices.Contains(n.targets(e.To), node) {
			return false
		}
	}
	return true
}

// leads reports whether a path of edges that run forward leads from a node to another, or
// the two are the same.
func (n *naive) leads(from, to string) bool {
	if from == to {
		return true
	}
	for _, e := range n.Edges {
		if e.Loop == nil && slices.Contains(n.targets(e.From), from) {
			for _, next := range n.targets(e.To) {
				if n.leads(next, to) {
					return true
				}
			}
		}
	}
	return false
}

// loopOf returns the position of the loop edge whose body has the node, -1 for none.
func (n *naive) loopOf(node string) int {
	for i, e := range n.Edges {
		if e.Loop == nil {
			continue
		}
		entry, _ := end(e.To)
		for _, source := range n.targets(e.From) {
			if n.leads(entry, node) && n.leads(node, source) {
				return i
			}
		}
	}
	return -1
}

func (n *naive) round(node string) int {
	if i := n.loopOf(node); i >= 0 {
		return 1 + n.rounds[i]
	}
	return 1
}

func (n *naive) find(node string) *naiveStep {
	return n.latest(node, n.round(node))
}

// latest is the step of a node in a round, that of the latest attempt.
func (n *naive) latest(node string, round int) (found *naiveStep) {
	for _, s := range n.steps {
		if s.node == node && s.round == round {
			found = s
		}
	}
	return found
}

func (n *naive) over() bool {
	return n.failing != "" || n.status != "running" && n.status != "pending"
}

func (s *naiveStep) live() bool {
	return s.status == "pending" || s.status == "running" || s.status == "waiting"
}

func (n *naive) notef(format string, args ...any) {
	n.log = append(n.log, fmt.Sprintf(format, args...))
}

func (n *naive) start(node string) {
	if n.find(node) != nil {
		return
	}
	if i := n.groupOf(node); i >= 0 {
		g := n.Groups[i]
		result := n.groups[n.roundKey(i)]
		if n.blamed[n.roundKey(i)] {
			result = ""
		}
		if result == "met" && g.OnQuorumMet != "waitAll" || result == "missed" && g.OnQuorumMet == "joinOnQuorum" {
			return
		}
	}
	if s := n.add(node); n.status == "running" && n.paused == 0 && !n.over() {
		n.begin(s)
	}
}

// add makes a step that has not begun.
func (n *naive) add(node string) *naiveStep {
	s := &naiveStep{node: node, status: "pending", round: n.round(node), attempt: n.attempt, said: map[string]string{}}
	for _, config := range n.Nodes {
		if config.NodeID == node {
			s.who = slices.Clone(config.Config.Reviewers)
		}
	}
	for i := range s.who {
		if sub := n.subs[fmt.Sprint(node, i)]; sub != "" {
			s.who[i].UserID = sub
		}
	}
	n.steps = append(n.steps, s)
	return s
}

func (n *naive) begin(s *naiveStep) {
	s.status = "running"
	for _, config := range n.Nodes {
		if config.NodeID != s.node {
			continue
		}
		if config.SlaMs > 0 {
			s.due = n.now + config.SlaMs
		}
		switch {
		case config.Type == "human":
			s.status = "waiting"
			n.notef("step.awaiting-approval %s", s.at())
		case config.Config.AgentID == "__mock__":
			n.ends(s, "completed", "approve", "")
		case config.Type == "agent":
			s.timeout = n.now + config.Config.AgentMaxRuntimeMs
		}
	}
}

// ends closes a step; by is who rejected with the right to send back.
func (n *naive) ends(s *naiveStep, status, decision, by string) {
	s.status, s.decision = status, decision
	n.notef("step.%s %s", status, s.at())
	n.spread(s, by)
}

func (n *naive) cancel(s *naiveStep) {
	if s != nil && s.live() {
		s.status = "cancelled"
		n.notef("step.cancelled %s", s.at())
	}
}

func (n *naive) fail(code string) {
	if n.over() {
		return
	}
	n.failing = code
}

// collapse ends a failing execution.
func (n *naive) collapse() {
	for _, s := range n.steps {
		s.byFailure = s.byFailure || s.live()
		n.cancel(s)
	}
	n.status, n.failure, n.failing, n.paused = "failed", n.failing, "", 0
	n.notef("execution.failed")
}

// back lets the loop at a position go back if it may.
func (n *naive) back(i int) bool {
	e := n.Edges[i]
	if n.rounds[i] >= e.Loop.MaxIterations {
		return false
	}
	for _, s := range n.steps {
		if n.loopOf(s.node) == i {
			n.cancel(s)
		}
	}
	n.rounds[i]++
	n.notef("loop.iteration-started %d", n.rounds[i]+1)
	entry, _ := end(e.To)
	n.start(entry)
	return true
}

// loopFrom returns the position of the loop edge with that end as its source, or -1.
func (n *naive) loopFrom(node, group string) int {
	for i, e := range n.Edges {
		if a, b := end(e.From); e.Loop != nil && a == node && b == group {
			return i
		}
	}
	return -1
}

// fires reports whether an edge fires at an end.
func (n *naive) fires(i int, status, decision string, usedUp bool) bool {
	e := n.Edges[i]
	switch {
	case e.Loop != nil || status == "cancelled":
		return false
	case e.On == "exhausted":
		return usedUp
	case e.On == "approve" || e.On == "reject":
		return status == "completed" && decision == e.On && (!usedUp || e.On != "reject")
	case e.On == "custom":
		return strings.Contains(e.When, `"`+status+`"`)
	default:
		return true
	}
}

func (n *naive) from(node, group string) (positions []int) {
	for i, e := range n.Edges {
		if a, b := end(e.From); a == node && b == group && e.Loop == nil {
			positions = append(positions, i)
		}
	}
	return positions
}

func (n *naive) spread(s *naiveStep, by string) {
	loop, g := n.loopFrom(s.node, ""), n.groupOf(s.node)
	if g >= 0 && n.asked[n.roundKey(g)] && needs(s, 1) != "" {
		return // a late end of a member that is no approval
	}
	if loop >= 0 && by != "" && n.back(loop) {
		s.taken = true
		return
	}
	answered := g >= 0 && n.answers(g) // also for the end that decides
	decided := g >= 0 && n.weigh(g, 0)
	var fired []int
	if g < 0 || n.Groups[g].OnQuorumMet != "joinOnQuorum" {
		if fired = n.own(s, answered, loop, by); n.over() {
			return
		}
	}
	if decided {
		more, ok := n.concludes(g, by)
		if !ok && n.failing == "" {
			return
		}
		fired = append(fired, more...)
	}
	n.lead(fired)
}

// own returns the edges of a step's own that fire. answered says that its end is its group's
// matter.
func (n *naive) own(s *naiveStep, answered bool, loop int, by string) (fired []int) {
	usedUp, exit := loop >= 0 && by != "", false
	if usedUp {
		n.notef("loop.exhausted %d", s.round)
	}
	own := n.from(s.node, "")
	for _, i := range own {
		exit = exit || n.Edges[i].On == "exhausted"
		if n.fires(i, s.status, s.decision, usedUp) {
			fired = append(fired, i)
		}
	}
	s.taken = len(fired) > 0
	if usedUp && !exit {
		s.taken = false
		n.fail("loop-exhausted")
		return nil
	}
	edges := len(own)
	if loop >= 0 {
		edges++ // the loop leads somewhere too
	}
	if code := needs(s, edges); code != "" && !s.taken && !answered {
		n.fail(code)
	}
	return fired
}

func (n *naive) lead(edges []int) {
	slices.Sort(edges)
	for _, i := range edges {
		for _, node := range n.targets(n.Edges[i].To) {
			n.start(node)
		}
	}
}

func needs(s *naiveStep, edges int) string {
	switch {
	case s.status == "failed":
		return "step-failed"
	case s.status == "breached":
		return "step-breached"
	case s.status == "completed" && s.decision == "reject" && edges > 0:
		return "unrouted-rejection"
	}
	return ""
}

func (n *naive) roundKey(g int) string {
	most := 1
	for _, m := range n.Groups[g].MemberNodeIDs {
		most = max(most, n.round(m))
	}
	return fmt.Sprint(n.Groups[g].GroupID, most)
}

// answers reports whether ends of members are the group's matter.
func (n *naive) answers(g int) bool {
	if key := n.roundKey(g); n.asked[key] {
		return n.absorbs[key]
	}
	return n.Groups[g].OnQuorumMet == "joinOnQuorum" || len(n.from("", n.Groups[g].GroupID)) > 0
}

// weigh counts a group and reports whether it is decided by that.
func (n *naive) weigh(g, lost int) bool {
	group, key := n.Groups[g], n.roundKey(g)
	if n.asked[key] {
		return false
	}
	yes, done, refused, wanting := 0, lost, false, len(group.RequiredNodeIDs)
	for _, m := range group.MemberNodeIDs {
		s := n.find(m)
		if s == nil || s.live() {
			continue
		}
		done++
		approved := s.status == "completed" && s.decision == "approve"
		if approved {
			yes++
		}
		if slices.Contains(group.RequiredNodeIDs, m) {
			if approved {
				wanting--
			} else {
				refused = true
			}
		}
	}
	if n.groups[key] == "" {
		if yes >= group.Quorum && wanting == 0 {
			n.groups[key] = "met"
			n.notef("group.quorum-met %s %d of %d", group.GroupID, yes, done)
		} else if refused || yes+group.ExpectedSteps-done < group.Quorum || done >= group.ExpectedSteps {
			n.groups[key] = "missed"
		}
	}
	if group.OnQuorumMet == "waitAll" {
		n.asked[key] = done >= group.ExpectedSteps
		if n.asked[key] && yes >= group.ExpectedSteps {
			n.asked[key+"yes"] = true
		}
		return n.asked[key]
	}
	n.asked[key] = n.groups[key] != ""
	if n.groups[key] == "met" {
		n.cancelMembers(g)
	}
	return n.asked[key]
}

func (n *naive) cancelMembers(g int) {
	for _, m := range n.Groups[g].MemberNodeIDs {
		n.cancel(n.find(m))
	}
}

// concludes returns the edges that a decided group fires; false when the course is
// another one.
func (n *naive) concludes(g int, by string) ([]int, bool) {
	group, key := n.Groups[g], n.roundKey(g)
	result := n.groups[key]
	var fired []int
	switch {
	case group.OnQuorumMet == "joinOnQuorum" && result == "missed":
		n.absorbs[key] = true
		loop := n.loopFrom("", group.GroupID)
		if loop >= 0 && by != "" && n.rounds[loop] < n.Edges[loop].Loop.MaxIterations {
			n.takeAll(g)
			n.back(loop)
			return nil, false
		}
		n.cancelMembers(g)
		usedUp := loop >= 0 && by != ""
		if usedUp {
			n.notef("loop.exhausted %d", n.rounds[loop]+1)
			for _, i := range n.from("", group.GroupID) {
				if n.Edges[i].On == "exhausted" {
					fired = append(fired, i)
				}
			}
		} else {
			for _, m := range group.MemberNodeIDs {
				for _, i := range n.from(m, "") {
					if n.Edges[i].On == "reject" {
						fired = append(fired, i)
					}
				}
			}
		}
		if len(fired) == 0 {
			n.blamed[key] = true
			n.fail(map[bool]string{true: "loop-exhausted", false: "quorum-not-met"}[usedUp])
			return nil, false
		}
		n.takeAll(g)
		return fired, true
	case group.OnQuorumMet == "cancelOnQuorum" && result == "missed":
	default:
		decision := "approve"
		if group.OnQuorumMet == "waitAll" && !n.asked[key+"yes"] {
			decision = "reject"
		}
		list := n.from("", group.GroupID)
		if group.OnQuorumMet == "joinOnQuorum" {
			for _, m := range group.MemberNodeIDs {
				for _, i := range n.from(m, "") {
					if n.Edges[i].On != "reject" && n.Edges[i].On != "exhausted" {
						list = append(list, i)
					}
				}
			}
		}
		for _, i := range list {
			if n.fires(i, "completed", decision, false) {
				fired = append(fired, i)
			}
		}
	}
	n.absorbs[key] = result == "met" || len(fired) > 0
	if n.absorbs[key] {
		n.takeAll(g)
		return fired, true
	}
	return fired, n.accounted(g)
}

// accounted fails the execution for ends of members that nobody took.
func (n *naive) accounted(g int) bool {
	rejected := false
	for _, m := range n.Groups[g].MemberNodeIDs {
		s := n.find(m)
		if s == nil || s.taken {
			continue
		}
		if code := needs(s, 0); code != "" {
			n.fail(code)
			return false
		}
		rejected = rejected || s.status == "completed" && s.decision == "reject"
	}
	if rejected && len(n.from("", n.Groups[g].GroupID)) > 0 {
		n.blamed[n.roundKey(g)] = true
		n.fail("quorum-not-met")
		return false
	}
	return true
}

func (n *naive) takeAll(g int) {
	for _, m := range n.Groups[g].MemberNodeIDs {
		if s := n.find(m); s != nil && !s.live() {
			s.taken = true
		}
	}
}

// possible reports whether a node without a step may still get one in this round.
func (n *naive) possible(node string) bool {
	if n.find(node) != nil {
		return false
	}
	for _, e := range n.Edges {
		if e.Loop != nil || !slices.Contains(n.targets(e.To), node) {
			continue
		}
		a, b := end(e.From)
		for _, source := range n.targets(e.From) {
			if s := n.find(source); s != nil && s.live() || n.possible(source) {
				return true
			}
		}
		g := slices.IndexFunc(n.Groups, func(g naiveGroup) bool {
			return g.GroupID == b || b == "" && g.OnQuorumMet == "joinOnQuorum" && slices.Contains(g.MemberNodeIDs, a)
		})
		if g >= 0 && n.entered(g) && !n.asked[n.roundKey(g)] {
			return true
		}
	}
	return false
}

func (n *naive) entered(g int) bool {
	return slices.ContainsFunc(n.Groups[g].MemberNodeIDs, func(m string) bool { return n.find(m) != nil })
}

// rest decides groups whose missing members cannot come, and ends the execution.
func (n *naive) rest() {
	for again := true; again && !n.over(); {
		again = false
		for g := range n.Groups {
			if !n.entered(g) || n.asked[n.roundKey(g)] {
				continue
			}
			lost := 0
			for _, m := range n.Groups[g].MemberNodeIDs {
				if n.find(m) == nil && !n.possible(m) {
					lost++
				}
			}
			before := n.groups[n.roundKey(g)]
			if lost == 0 {
				continue
			}
			if n.weigh(g, lost) {
				if edges, ok := n.concludes(g, ""); ok {
					n.lead(edges)
				}
				again = true
				break
			}
			if n.groups[n.roundKey(g)] != before {
				again = true
				break
			}
		}
	}
	if n.failing != "" {
		n.collapse()
	}
	if n.over() || slices.ContainsFunc(n.steps, (*naiveStep).live) {
		return
	}
	n.status, n.paused = "completed", 0
	if n.abandoned() {
		n.status = "cancelled"
	}
	n.notef("execution.%s", n.status)
}

// pass is Temporal's question at a time.
func (n *naive) pass(now int64) {
	n.now = now
	if n.over() || n.paused != 0 {
		return
	}
	if n.status == "pending" {
		n.status = "running"
		n.beginPending()
	}
	for _, s := range slices.Clone(n.steps) {
		if !n.over() && s.live() && s.timeout != 0 && s.timeout <= now && (s.due == 0 || s.timeout <= s.due) {
			n.outOfTime(s)
		}
	}
	for _, s := range slices.Clone(n.steps) {
		switch {
		case n.over() || !s.live() || s.status == "pending" || s.due == 0 || s.due > now:
		case s.early != nil:
			s.early()
		case s.status == "running" && len(s.answers) > 0 && n.lost(s):
		default:
			n.ends(s, "breached", "", "")
		}
	}
	n.rest()
}

func (n *naive) beginPending() {
	for _, s := range slices.Clone(n.steps) {
		if s.status == "pending" && !n.over() {
			n.begin(s)
		}
	}
}

func (n *naive) at(node string, round, attempt int) *naiveStep {
	for _, s := range n.steps {
		if s.node == node && s.round == round && s.attempt == attempt {
			return s
		}
	}
	return nil
}

// decide is what a reviewer says. mayGoBack says that a rejection may use a loop.
func (n *naive) decide(s *naiveStep, who, word string, mayGoBack bool) {
	at := slices.IndexFunc(s.who, func(r naiveReviewer) bool { return r.UserID == who })
	if n.over() || s.status != "waiting" || at < 0 || s.said[who] != "" {
		return
	}
	s.said[who] = word
	wanting := slices.ContainsFunc(s.who, func(r naiveReviewer) bool { return r.Mandatory && s.said[r.UserID] != "approve" })
	switch {
	case word == "reject" && s.who[at].Mandatory && mayGoBack:
		n.ends(s, "completed", "reject", who)
	case word == "reject":
		n.ends(s, "completed", "reject", "")
	case !wanting:
		n.ends(s, "completed", "approve", "")
	default:
		return
	}
	n.rest()
}

// call is the end of a webhook call or a notification: completed with a decision or
// none, or failed. A failure of a call that could not begin counts for nothing. A
// receiver that answers later only took the step.
func (n *naive) call(s *naiveStep, ok bool, decision string) {
	if n.over() || s.status != "running" {
		return
	}
	switch {
	case s.early != nil:
		s.early()
	case ok && n.later(s.node):
		s.status = "waiting"
		n.notef("step.awaiting-approval %s", s.at())
	case ok || n.paused == 0:
		n.result(s, ok, decision)
	}
	n.rest()
}

func (n *naive) later(node string) bool {
	for _, config := range n.Nodes {
		if config.NodeID == node {
			return config.Config.Mode == "async"
		}
	}
	return false
}

func (n *naive) result(s *naiveStep, ok bool, decision string) {
	switch {
	case !ok:
		n.ends(s, "failed", "", "")
	case decision == "reject":
		n.ends(s, "completed", decision, s.node)
	default:
		n.ends(s, "completed", decision, "")
	}
}

// callback is what a receiver says that was called.
func (n *naive) callback(s *naiveStep, ok bool, decision string) {
	if n.over() || s.early != nil || !s.live() {
		return
	}
	s.early = func() { n.result(s, ok, decision) }
	if s.status == "waiting" {
		s.early()
		n.rest()
	}
}

// summary is what both interpreters have to agree on.
func (n *naive) summary() string {
	states := map[string]string{}
	for _, s := range n.steps {
		states[s.at()] = s.status + " " + s.decision
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(states)) {
		lines = append(lines, key+": "+states[key])
	}
	return n.status + " " + n.failure + "\n" + strings.Join(append(lines, n.log...), "\n")
}
