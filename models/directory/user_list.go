package directory

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// UserFilter names the level whose users are read: the organization, a folder or a
// document. With AllDocuments it is every document, of the organization or in the
// folder and below it; then ByDocument gives a user once for each. What else is not
// empty narrows: to ids, and to who is in one of the groups.
type UserFilter struct {
	OrganizationID string   `json:"organizationId"`
	FolderID       string   `json:"folderId"`
	DocumentID     string   `json:"documentId"`
	UserIDs        []string `json:"userIds"`
	GroupIDs       []string `json:"groupIds"`
	AllDocuments   bool     `json:"allDocuments"`
	ByDocument     bool     `json:"byDocument"`
	// Key is part of the name, the e-mail or the id.
	Key string `json:"key"`
	// Documents asks for those that are granted to the users.
	Documents bool `json:"documents"`
}

// UserView is a user as read. Role is that of the level, of all documents the
// strongest; DocumentID is empty but where users are given by document.
type UserView struct {
	person.Person
	Role, DocumentID string
	// Granted is there where it is asked for.
	Granted *Granted
}

// UserPosition is where a page of users ended: what their profiles are sorted by, and
// the key of the document where they are given by document.
type UserPosition struct {
	list.Position
	Document int64 `json:"document,omitempty"`
}

// UserPage is a page of users, newest profile first.
type UserPage = list.Page[UserView, UserPosition]

var (
	newestUser           = list.Descending("p.created_at", "p.user_id")
	newestUserByDocument = list.Descending("p.created_at", "p.user_id", "g.document_key")
)

// userBytes is about how large a user is in an answer, beside what the members are
// called.
const userBytes = `200 + octet_length(p.user_id) + coalesce(octet_length(p.document_id), 0) + coalesce(octet_length(p.name), 0)
 + coalesce(octet_length(p.email), 0) + coalesce(octet_length(p.photo_url), 0) + coalesce(octet_length(p.extra::text), 0)`

const (
	userColumns  = `SELECT p.user_id, p.name, p.email, p.initial, p.photo_url, p.extra, p.created_at, g.role, `
	noDocument   = `'' AS document_id, 0::bigint AS document_key FROM `
	ofNoDocument = noDocument + `profiles p `
	// heldBy joins the grants of a user that count; at which level is said behind it.
	heldBy    = `JOIN grants g ON g.organization_key = p.organization_key AND g.user_id = p.user_id AND ` + Unexpired
	ofAMember = ` AND g.folder_key IS NULL AND g.document_key IS NULL`
	// onADocument joins the documents of grants but for those that are deleted.
	onADocument = ` JOIN documents d ON d.key = g.document_key`
	ofWorkspace = ` WHERE p.workspace_id = $1`
)

// ofGrants begins with the grants on one folder or document, which are few: the walk
// over all profiles would look at those who have none.
const ofGrants = noDocument + `(SELECT g.organization_key, g.user_id, g.role FROM grants g WHERE %s AND ` + Unexpired + ` OFFSET 0) g
CROSS JOIN LATERAL (SELECT * FROM profiles p WHERE p.organization_key = g.organization_key AND p.user_id = g.user_id OFFSET 0) p`

// inAGroup is the condition for users who are in one of the groups and whose membership
// of the organization is not over. They are read first, whoever else is there.
const inAGroup = `p.user_id = ANY(ARRAY(
    SELECT m.user_id FROM user_groups u JOIN user_group_members m ON m.group_key = u.key
    JOIN grants g ON g.organization_key = m.organization_key AND g.user_id = m.user_id` + ofAMember + ` AND ` + Unexpired + `
    WHERE u.organization_key = ` + OrganizationOf + ` AND u.group_id = ANY(%s)))`

// hasKey is the condition for users of whose name, e-mail or id a text is a part, whatever its
// form or case. In capitals all forms of a letter are the same.
const hasKey = `EXISTS (SELECT FROM unnest(ARRAY[p.name, p.email, p.user_id]) n (text)
    WHERE position(upper(normalize(%s::text, NFC) COLLATE "und-x-icu") IN upper(normalize(n.text, NFC) COLLATE "und-x-icu")) > 0)`

// inSubtree is the condition for documents in a folder and below it.
const inSubtree = `d.folder_key = ANY(ARRAY(
    WITH RECURSIVE below (key) AS (
        SELECT f.key FROM folders f WHERE f.organization_key = ` + OrganizationOf + ` AND f.folder_id = %s
        UNION ALL
        SELECT f.key FROM below b JOIN folders f ON f.parent_key = b.key WHERE f.folder_id IS NOT NULL
    ) SELECT key FROM below))`

// from is the statement of all users of the level, whose conditions on it go to q.
func (f UserFilter) from(q *pg.Conditions) string {
	switch {
	case f.ByDocument:
		f.below(q)
		return userColumns + `d.document_id, g.document_key FROM profiles p ` + heldBy + onADocument + ofWorkspace
	case f.AllDocuments:
		within := &pg.Conditions{Args: q.Args}
		f.below(within)
		q.Args = within.Args
		return userColumns + ofNoDocument + `CROSS JOIN LATERAL (
    SELECT g.role FROM grants g` + onADocument + `
    WHERE g.organization_key = p.organization_key AND g.user_id = p.user_id AND ` + Unexpired + within.Text() + `
    ORDER BY g.role LIMIT 1) g` + ofWorkspace // editor stands before viewer
	case f.DocumentID != "":
		return userColumns + fmt.Sprintf(ofGrants, `g.document_key = (SELECT d.key FROM documents d WHERE d.organization_key = `+
			fmt.Sprintf(OrganizationOf, q.Value(f.OrganizationID))+` AND d.document_id = `+q.Value(f.DocumentID)+`)`) + ofWorkspace
	case f.FolderID != "":
		return userColumns + fmt.Sprintf(ofGrants, `g.folder_key = (SELECT f.key FROM folders f WHERE f.organization_key = `+
			fmt.Sprintf(OrganizationOf, q.Value(f.OrganizationID))+` AND f.folder_id = `+q.Value(f.FolderID)+`)`) + ofWorkspace
	default:
		return userColumns + ofNoDocument + heldBy + ofAMember + ofWorkspace
	}
}

// below narrows documents to those in the folder, if one is named.
func (f UserFilter) below(q *pg.Conditions) {
	if f.FolderID != "" {
		q.And(inSubtree, f.OrganizationID, f.FolderID)
	}
}

// query is the statement of a page.
func (f UserFilter) query(workspaceID string, after *UserPosition, size int) (string, []any) {
	q := pg.NewConditions(workspaceID)
	query := f.from(q)
	q.And("p.organization_key = "+OrganizationOf, f.OrganizationID)
	if len(f.UserIDs) > 0 {
		q.And("p.user_id = ANY(%s)", f.UserIDs)
	}
	if len(f.GroupIDs) > 0 {
		q.And(inAGroup, f.OrganizationID, f.GroupIDs)
	}
	if f.Key != "" {
		q.And(hasKey, f.Key)
	}
	order := newestUser
	if f.ByDocument {
		order = newestUserByDocument
	}
	if after != nil {
		values := after.Values()
		if f.ByDocument {
			newestUser.From(q, values...) // by this alone the index is entered
			values = append(values, after.Document)
		}
		order.After(q, values...)
	}
	return order.Fit(q, order.First(q, query, size), userBytes, size), q.Args
}

// Get reads users, newest profile first; of what is not known an empty page. It walks the
// profiles from the newest on, so a page of members costs the same anywhere. Who has a grant
// on a folder or a document or is in a group is read first, being few beside the organization.
func (s *Users) Get(ctx context.Context, workspaceID string, f UserFilter, after *UserPosition, size int) (*UserPage, error) {
	query, args := f.query(workspaceID, after, size)
	var found list.Found[UserView, UserPosition]
	rows, err := s.db.Pool.Query(ctx, query, args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	err = found.Collect(func(row pgx.CollectableRow) (UserView, UserPosition, error) {
		var u UserView
		var extra []byte
		var at time.Time
		var document int64
		err := row.Scan(&u.UserID, &u.Name, &u.Email, &u.Initial, &u.PhotoURL, &extra, &at, &u.Role, &u.DocumentID, &document, &found.Count, nil, nil)
		u.Extra = shape.MembersOf(extra)
		return u, UserPosition{list.PositionOf(at, u.UserID), document}, err
	})(rows)
	if err != nil || !f.Documents {
		return found.Page(), pg.Translate(err)
	}
	read, err := f.readGranted(ctx, s.db.Pool, workspaceID, found.Items)
	found.Cut(read)
	return found.Page(), pg.Translate(err)
}
