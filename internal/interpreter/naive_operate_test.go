package interpreter_test

import (
	"fmt"
	"slices"
	"strings"
)

// settings are those of an agent's node.
func (n *naive) settings(node string) (blocking bool, least int) {
	for _, config := range n.Nodes {
		if config.NodeID == node {
			return config.Config.Blocking, config.Config.ResolutionPolicy.MinCount
		}
	}
	return false, 0
}

// called is the end of an agent's call: ids are what it announced, word is a resolution
// that its answer carried. A resolution that came before shows that it took the step.
func (n *naive) called(s *naiveStep, ok bool, ids []string, word string) {
	if n.over() || s.status != "running" {
		return
	}
	switch kept := len(s.answers) > 0; {
	case kept && (n.paused == 0 || !ok):
		n.lost(s)
	case ok:
		n.accepted(s, ids, word)
	case n.paused == 0:
		n.ends(s, "failed", "", "")
	}
	n.rest()
}

func (n *naive) accepted(s *naiveStep, ids []string, word string) {
	blocking, least := n.settings(s.node)
	switch {
	case word != "":
		s.answers = append(s.answers, [2]string{"", word})
	case blocking && len(ids) == 0:
		n.ends(s, "failed", "", "")
		return
	case blocking && len(ids) < least:
		n.ends(s, "completed", "reject", "agent")
		return
	case blocking:
		s.ids = ids
		s.answers = slices.DeleteFunc(s.answers, func(a [2]string) bool { return !slices.Contains(ids, a[0]) })
	}
	if !n.settled(s) {
		s.status = "waiting"
		n.notef("step.awaiting-approval %s", s.at())
	}
}

// lost is a call whose answer nobody read, of an agent that took it all the same. It reports
// whether that ended the step.
func (n *naive) lost(s *naiveStep) bool {
	if n.settled(s) {
		return true
	}
	s.status = "waiting"
	n.notef("step.awaiting-approval %s", s.at())
	return false
}

// settled ends an agent's step if its answers are enough: one of the agent's own, one of
// whomever it asked if it is not blocking, or what its policy wants. Of one whose ids are
// not known as many may be wanting as there can be.
func (n *naive) settled(s *naiveStep) bool {
	blocking, least := n.settings(s.node)
	yes, no := 0, 0
	for _, a := range s.answers {
		if a[1] == "resolved" {
			yes++
		} else {
			no++
		}
		wanted := len(s.ids)
		if s.ids == nil {
			wanted = 500
		}
		enough, toofew := least > 0 && yes >= least || yes >= wanted, wanted-no < max(least, 1) || least == 0 && no > 0
		if !blocking || a[0] == "" {
			enough, toofew = a[1] == "resolved", a[1] == "rejected"
		}
		switch {
		case enough:
			n.ends(s, "completed", "approve", "")
			return true
		case toofew:
			n.ends(s, "completed", "reject", "agent")
			return true
		}
	}
	return false
}

// resolve is a resolution of an agent's step.
func (n *naive) resolve(s *naiveStep, id, word string) {
	again := slices.ContainsFunc(s.answers, func(a [2]string) bool { return a[0] == id })
	blocking, _ := n.settings(s.node)
	switch {
	case n.over() || again || len(s.ids) > 0 && !slices.Contains(s.ids, id):
	case s.status == "running" && (blocking || len(s.answers) == 0):
		s.answers = append(s.answers, [2]string{id, word})
	case s.status == "waiting":
		s.answers = append(s.answers, [2]string{id, word})
		if n.settled(s) {
			n.rest()
		}
	}
}

// outOfTime is the end of an agent's time.
func (n *naive) outOfTime(s *naiveStep) {
	if s.status == "running" && len(s.answers) > 0 && n.lost(s) {
		return
	}
	n.ends(s, "failed", "", "")
}

// override is what an operator, or a reviewer as one, does to a step.
func (n *naive) override(s *naiveStep, action, actor string) {
	waits := s.status == "waiting"
	kind, word, _ := strings.Cut(action, "-")
	switch {
	case kind == "reviewer":
		n.decide(s, actor, word, false)
		return
	case action == "force-approve" && waits, action == "force-reject" && waits:
		n.ends(s, "completed", word, "")
	case action == "force-complete" && s.status == "pending":
		n.ends(s, "skipped", "", "")
	case action == "force-complete" && s.live():
		n.ends(s, "completed", "", "")
	case action == "force-fail" && s.live() && s.status != "pending":
		n.ends(s, "failed", "", "")
	default:
		return
	}
	n.rest()
}

func (n *naive) cancelStep(s *naiveStep) {
	if s.live() {
		s.byHand = true
		n.ends(s, "cancelled", "", "")
		n.rest()
	}
}

// abandoned reports whether operators ended every branch: none came to its own end.
func (n *naive) abandoned() bool {
	byHand := false
	for _, s := range n.steps {
		if s != n.latest(s.node, s.round) {
			continue
		}
		if (s.status == "completed" || s.status == "skipped") && !n.wentOn(s) {
			return false
		}
		byHand = byHand || s.byHand
	}
	return byHand
}

// wentOn reports whether something came after a step, or after the group that took it.
func (n *naive) wentOn(s *naiveStep) bool {
	g := n.groupOf(s.node)
	if g < 0 || !s.taken || s.round < n.round(s.node) {
		return s.taken
	}
	edges := append(n.from("", n.Groups[g].GroupID), n.from(s.node, "")...)
	if n.Groups[g].OnQuorumMet == "joinOnQuorum" {
		for _, m := range n.Groups[g].MemberNodeIDs {
			edges = append(edges, n.from(m, "")...)
		}
	}
	return slices.ContainsFunc(edges, func(i int) bool {
		return slices.ContainsFunc(n.targets(n.Edges[i].To), func(node string) bool { return n.find(node) != nil })
	})
}

func (n *naive) cancelAll() {
	if n.over() {
		return
	}
	for _, s := range n.steps {
		n.cancel(s)
	}
	n.status, n.paused = "cancelled", 0
	n.notef("execution.cancelled")
}

func (n *naive) reassign(s *naiveStep, from, to string) {
	named := func(who string) int {
		return slices.IndexFunc(s.who, func(r naiveReviewer) bool { return r.UserID == who })
	}
	at := named(from)
	if s.status != "waiting" || at < 0 || s.said[from] != "" || named(to) >= 0 {
		return
	}
	s.who[at].UserID = to
	n.subs[fmt.Sprint(s.node, at)] = to
}

func (n *naive) pause() {
	if !n.over() && n.paused == 0 {
		n.paused = n.now
		n.notef("execution.paused")
	}
}

func (n *naive) resume() {
	if n.over() || n.paused == 0 {
		return
	}
	for _, s := range n.steps {
		if s.live() && s.due != 0 {
			s.due += n.now - n.paused
		}
		if s.live() && s.timeout != 0 {
			s.timeout += n.now - n.paused
		}
	}
	n.paused = 0
	n.notef("execution.resumed")
	if n.status == "running" {
		n.beginPending()
	}
	n.rest()
}

// open are the steps that a failure left open: those of the nodes as they are now that it
// cancelled, that failed and nobody took, or whose rejection it was.
func (n *naive) open() (open []*naiveStep) {
	for _, s := range n.steps {
		if s == n.find(s.node) && (s.byFailure || n.guilty(s)) {
			open = append(open, s)
		}
	}
	return open
}

func (n *naive) guilty(s *naiveStep) bool {
	g := n.groupOf(s.node)
	if g >= 0 {
		switch key := n.roundKey(g); {
		case n.blamed[key]:
			return s.status != "completed" || s.decision != "approve"
		case n.asked[key] && n.absorbs[key]:
			return false
		}
	}
	if s.taken {
		return false
	}
	rejected, loop := s.status == "completed" && s.decision == "reject", n.loopFrom(s.node, "")
	if rejected && n.failure == "loop-exhausted" {
		return loop >= 0 && n.rounds[loop] == n.Edges[loop].Loop.MaxIterations
	}
	leads := len(n.from(s.node, "")) > 0 || loop >= 0
	rejected = rejected && n.failure == "unrouted-rejection"
	return s.status == "failed" || s.status == "breached" || rejected && leads && (g < 0 || !n.answers(g))
}

// retry lets a failed execution go on. skip are steps by node, round and attempt.
func (n *naive) retry(skip []string) {
	again := n.open()
	if n.status != "failed" || slices.ContainsFunc(skip, func(id string) bool {
		return !slices.ContainsFunc(again, func(s *naiveStep) bool { return s.at() == id })
	}) {
		return
	}
	for g, group := range n.Groups {
		if n.blamed[n.roundKey(g)] || slices.ContainsFunc(again, func(s *naiveStep) bool { return slices.Contains(group.MemberNodeIDs, s.node) }) {
			n.reopen(n.roundKey(g))
		}
	}
	n.status, n.failure = "pending", ""
	n.attempt++
	n.notef("execution.retried")
	var skipped []*naiveStep
	for _, old := range again {
		s := n.add(old.node)
		for _, r := range s.who {
			if word := old.said[r.UserID]; word != "" && old.status == "cancelled" && !old.byHand {
				s.said[r.UserID] = word
			}
		}
		if slices.Contains(skip, old.at()) {
			skipped = append(skipped, s)
		}
	}
	for _, s := range skipped {
		if s.live() {
			n.ends(s, "skipped", "", "")
		}
	}
	n.rest()
}

// reopen forgets how a group was decided, but for a quorum that was met.
func (n *naive) reopen(key string) {
	if n.groups[key] != "met" {
		delete(n.groups, key)
	}
	delete(n.asked, key)
	delete(n.asked, key+"yes")
	delete(n.absorbs, key)
	delete(n.blamed, key)
}
