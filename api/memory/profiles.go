package memory

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	judgments "github.com/redline-svc/redline/models/judgment"
)

// topFlags is how many of the most frequent reasons for rejection a profile has.
const topFlags = 5

// GetProfile names a user.
type GetProfile struct {
	TargetUserID string `json:"targetUserId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" doc:"without it the profile is null: a key is nobody"`
}

// ProfileView is what the judgments of a user say about them, without those of agents.
// Rates are approvals among approvals and rejections, null without either.
type ProfileView struct {
	UserID         string                   `json:"userId"`
	Name           string                   `json:"name" doc:"as known at the newest judgment"`
	Email          *string                  `json:"email"`
	TotalJudgments int64                    `json:"totalJudgments"`
	ApprovalRate   *float64                 `json:"approvalRate" minimum:"0" maximum:"1"`
	TopFlags       []FlagView               `json:"topFlags" doc:"the most frequent categories of rejections"`
	ContentTypes   []string                 `json:"contentTypes" doc:"the most frequent first"`
	OrgBreakdown   map[string]OrgRecordView `json:"orgBreakdown" doc:"by the id of the organization"`
	LastActive     int64                    `json:"lastActive" doc:"epoch milliseconds"`
}

// FlagView is a category with the number of its rejections.
type FlagView struct {
	Issue string `json:"issue"`
	Count int64  `json:"count"`
}

// OrgRecordView is how a user judged in an organization.
type OrgRecordView struct {
	Judgments    int64    `json:"judgments"`
	Approvals    int64    `json:"approvals"`
	ApprovalRate *float64 `json:"approvalRate" minimum:"0" maximum:"1"`
}

// Profile sums up the judgments of a user; null where there are none, or nobody is named.
func (j *Judgments) Profile(ctx context.Context, req *GetProfile) (**ProfileView, error) {
	if req.TargetUserID == "" {
		return new(viewProfile(nil)), nil
	}
	p, err := j.store.Profile(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.TargetUserID)
	if err != nil {
		return nil, err
	}
	return new(viewProfile(p)), nil
}

func viewProfile(p *judgments.Profile) *ProfileView {
	if p == nil {
		return nil
	}
	view := &ProfileView{
		UserID: p.User.UserID, Name: p.User.Name, Email: p.User.Email, TotalJudgments: p.Judgments, ApprovalRate: p.ApprovalRate(),
		TopFlags:     rpc.Each(p.Flags[:min(len(p.Flags), topFlags)], func(f judgments.Frequency) FlagView { return FlagView{f.Word, f.Count} }),
		ContentTypes: rpc.Each(p.ContentTypes, func(f judgments.Frequency) string { return f.Word }),
		OrgBreakdown: map[string]OrgRecordView{}, LastActive: p.LastActive.UnixMilli(),
	}
	for id, of := range p.Organizations {
		view.OrgBreakdown[id] = OrgRecordView{of.Judgments, of.Approvals, of.ApprovalRate()}
	}
	return view
}
