package models

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
)

// Reasons for which somebody is notified, the first one that holds.
const (
	ReasonMention    = "mention"
	ReasonAssignment = "assignment"
	ReasonReply      = "reply"
)

// notice is the notification of one flagged comment: its recipients in the
// order of their reasons.
type notice struct {
	annotation *annotationRow
	comment    *commentRow
	reasons    []cause
}

type cause struct{ userID, why string }

// notices are those of the flagged comments. An author is never notified of an
// own comment.
func (a *adding) notices() []notice {
	var found []notice
	for _, r := range a.rows {
		for i := range r.comments {
			c := &r.comments[i]
			if !c.Notify {
				continue
			}
			n := notice{annotation: r, comment: c}
			for _, user := range c.Tags {
				n.add(user, ReasonMention)
			}
			if i == 0 && r.Assigned != nil {
				n.add(r.Assigned.UserID, ReasonAssignment)
			}
			for _, earlier := range r.comments[:i] {
				n.add(earlier.From.UserID, ReasonReply)
			}
			if len(n.reasons) > 0 {
				found = append(found, n)
			}
		}
	}
	return found
}

func (n *notice) add(userID, why string) {
	known := slices.ContainsFunc(n.reasons, func(r cause) bool { return r.userID == userID })
	if userID != n.comment.From.UserID && !known {
		n.reasons = append(n.reasons, cause{userID, why})
	}
}

// audience is who may see what is added at this moment.
type audience struct {
	document int64
	reach    *reach
	// members of organizations that annotations are private to.
	members map[membership]bool
}

type membership struct{ organizationID, userID string }

// sees tells whether a user may read the document and see the annotation.
func (a *audience) sees(r *annotationRow, user string) bool {
	if !a.reach.decide(a.document, user).Read {
		return false
	}
	switch r.Visibility.Type {
	case VisibleOrganization:
		return user == r.author || a.members[membership{r.Visibility.OrganizationID, user}]
	case VisibleRestricted:
		return user == r.author || slices.Contains(r.Visibility.UserIDs, user)
	default:
		return true
	}
}

// readMembers gives which of the users are members of which organizations.
const readMembers = `
SELECT o.organization_id, g.user_id FROM grants g JOIN organizations o ON o.key = g.organization_key
WHERE g.workspace_id = $1 AND g.user_id = ANY($2) AND g.folder_key IS NULL AND g.document_key IS NULL
  AND o.organization_id = ANY($3) AND ` + unexpired

func (a *adding) readAudience(ctx context.Context, tx pgx.Tx, notices []notice) (*audience, error) {
	var users, organizations []string
	for _, n := range notices {
		for _, r := range n.reasons {
			users = append(users, r.userID)
		}
		if organization := n.annotation.Visibility.OrganizationID; organization != "" {
			organizations = append(organizations, organization)
		}
	}
	known, err := readReachOf(ctx, tx, a.at.organization, []int64{*a.at.document}, users)
	if err != nil {
		return nil, err
	}
	found := &audience{document: *a.at.document, reach: known, members: map[membership]bool{}}
	rows, err := tx.Query(ctx, readMembers, a.workspaceID, users, organizations)
	if err != nil {
		return nil, err
	}
	members, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m membership, err error) {
		return m, row.Scan(&m.organizationID, &m.userID)
	})
	for _, m := range members {
		found.members[m] = true
	}
	return found, err
}

// notify stores the notifications of flagged comments for those who may see
// them now; who is left out gets nothing later either.
func (a *adding) notify(ctx context.Context, tx pgx.Tx) error {
	notices := a.notices()
	if len(notices) == 0 {
		return nil
	}
	may, err := a.readAudience(ctx, tx, notices)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	for _, n := range notices {
		a.queueNotice(b, n, may)
	}
	return tx.SendBatch(ctx, b).Close()
}

func (a *adding) queueNotice(b *pgx.Batch, n notice, may *audience) {
	var users, reasons []string
	for _, r := range n.reasons {
		if may.sees(n.annotation, r.userID) {
			users, reasons = append(users, r.userID), append(reasons, r.why)
		}
	}
	if len(users) == 0 {
		return
	}
	notification := id.New(id.Notice)
	b.Queue(`INSERT INTO notifications (id, workspace_id, annotation_key, comment_seq, action_user) VALUES ($1, $2, $3, $4, $5)`,
		notification, a.workspaceID, n.annotation.key, n.comment.seq, a.snapshot(n.comment.From))
	b.Queue(`INSERT INTO notification_recipients (notification_id, workspace_id, user_id, reason)
SELECT $1, $2, r.user_id, r.reason FROM unnest($3::text[], $4::text[]) AS r (user_id, reason)`,
		notification, a.workspaceID, users, reasons)
}
