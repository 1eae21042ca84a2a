package definition

import (
	"fmt"

	"github.com/redline-svc/redline/internal/shape"
)

// Limits of groups.
const (
	maxGroups  = 100
	maxMembers = 500
)

// draftGroup is a group as far as it could be read.
type draftGroup struct {
	Group
	o       *shape.Fields // nil if it is none
	members []shape.Part  // of MemberNodeIDs, one by one
}

// groups reads the groups; one without a usable id has an empty ID.
func (p *parser) groups(o *shape.Fields) []draftGroup {
	var list []draftGroup
	for _, v := range o.List("groups", 0, maxGroups) {
		list = append(list, p.group(v))
	}
	return list
}

func (p *parser) group(v shape.Part) draftGroup {
	o := p.Object(v, "groupId", "memberNodeIds", "expectedSteps", "quorum", "onQuorumMet", "requiredNodeIds")
	if o == nil {
		return draftGroup{}
	}
	d := draftGroup{o: o}
	d.ID, _ = o.NeedText("groupId", shape.IDRule(maxID))
	policy, _ := o.Word("onQuorumMet", string(WaitAll), string(CancelOnQuorum), string(JoinOnQuorum))
	d.OnQuorumMet = Policy(policy)
	if p.members(o, &d) {
		p.counts(o, &d)
	}
	p.required(o, &d)
	return d
}

// members reads memberNodeIds and reports whether their number is known.
func (p *parser) members(o *shape.Fields, d *draftGroup) bool {
	v, there := o.Need("memberNodeIds")
	if !there {
		return false
	}
	if v.Kind() == '[' && len(p.Elements(v)) == 0 {
		p.Report(v, "group-members-empty", "a group needs members")
		return false
	}
	seen := map[string]bool{}
	for _, element := range o.List("memberNodeIds", 1, maxMembers) {
		id, ok := p.TextOf(element, shape.IDRule(maxID))
		if !ok {
			return false
		}
		if p.once(seen, id, element); len(d.MemberNodeIDs) < len(seen) {
			d.MemberNodeIDs = append(d.MemberNodeIDs, id)
			d.members = append(d.members, element)
		}
	}
	return len(d.MemberNodeIDs) > 0
}

// counts reads expectedSteps and quorum, each bounded by the one before.
func (p *parser) counts(o *shape.Fields, d *draftGroup) {
	expected, ok := p.countOf(o, "expectedSteps", "group-expected-steps-invalid", len(d.MemberNodeIDs), "the number of members")
	d.ExpectedSteps = expected
	if !ok {
		expected = len(d.MemberNodeIDs)
	}
	d.Quorum, _ = p.countOf(o, "quorum", "group-quorum-invalid", expected, "expectedSteps")
	if d.OnQuorumMet == CancelOnQuorum && d.Quorum > 0 && d.Quorum == d.ExpectedSteps {
		p.Report(o.Members["quorum"], "group-cancelonquorum-requires-quorum-lt-expected", "with cancelOnQuorum the quorum must be below expectedSteps")
	}
}

// countOf reads a required number from 1 to high.
func (p *parser) countOf(o *shape.Fields, key, code string, high int, name string) (int, bool) {
	v, there := o.Need(key)
	if !there {
		return 0, false
	}
	n, ok := p.IntegerOf(v)
	if ok && (n < 1 || n > int64(high)) {
		p.Report(v, code, fmt.Sprintf("must be 1 to %d, %s", high, name))
		return 0, false
	}
	return int(n), ok
}

// required reads requiredNodeIds, members that must have approved.
func (p *parser) required(o *shape.Fields, d *draftGroup) {
	member, seen := map[string]bool{}, map[string]bool{}
	for _, id := range d.MemberNodeIDs {
		member[id] = true
	}
	for _, v := range o.List("requiredNodeIds", 0, maxMembers) {
		id, ok := p.TextOf(v, shape.IDRule(maxID))
		if !ok {
			continue
		}
		if p.once(seen, id, v); !member[id] && len(member) > 0 {
			p.Report(v, "group-required-not-in-members", fmt.Sprintf("%q is no member of the group", id))
		}
		d.RequiredIDs = append(d.RequiredIDs, id)
	}
	if d.Quorum > 0 && len(seen) > d.Quorum {
		p.Report(o.Members["requiredNodeIds"], "group-required-exceeds-quorum", "more nodes are required than the quorum has")
	}
}
