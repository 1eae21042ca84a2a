package directory

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Permissions stores what single users are granted, at any levels of any
// organizations of a workspace.
type Permissions struct {
	db     *pg.DB
	forget []Forget
}

// NewPermissions makes the store; forget is what goes with users who are no members of
// an organization any more.
func NewPermissions(db *pg.DB, forget ...Forget) *Permissions { return &Permissions{db, forget} }

// Types of resources that can be granted.
const (
	ResourceOrganization = "organization"
	ResourceFolder       = "folder"
	ResourceDocument     = "document"
)

// Resource is an organization, or a folder or document in one, by the callers' ids;
// the ID of an organization is its OrganizationID.
type Resource struct{ Type, OrganizationID, ID string }

// Permission is a grant of a resource; ExpiresAt is nil for one without an end.
type Permission struct {
	Resource
	Role      string
	ExpiresAt *time.Time
}

// Add grants a user resources, all or none. A grant that is there takes the role and
// the end of the new one; of a resource that is named twice the last one counts. A
// user who is not known gets a profile. Errors: NOT_FOUND of a resource,
// INVALID_ARGUMENT of an end that is not ahead.
func (s *Permissions) Add(ctx context.Context, workspaceID, userID string, permissions []Permission) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := refuseEnded(ctx, tx, permissions); err != nil {
			return err
		}
		permissions = lastPermissions(permissions)
		resources := make([]Resource, len(permissions))
		for i, p := range permissions {
			resources[i] = p.Resource
		}
		scopes, organizations, err := openResources(ctx, tx, workspaceID, resources)
		if err != nil {
			return err
		}
		for i, r := range resources {
			switch {
			case organizations[r.OrganizationID] == 0:
				return fault.NotFoundResource(ResourceOrganization, r.OrganizationID)
			case scopes[i] == nil:
				return fault.NotFoundResource(r.Type, r.ID)
			default:
			}
		}
		return writePermissions(ctx, tx, workspaceID, userID, permissions, scopes)
	})
}

// refuseEnded asks the clock that grants are read by.
func refuseEnded(ctx context.Context, tx *pg.Tx, permissions []Permission) error {
	ends := make([]*time.Time, len(permissions))
	for i, p := range permissions {
		ends[i] = p.ExpiresAt
	}
	ended, err := collect[int](ctx, tx, `
SELECT number - 1 FROM unnest($1::timestamptz[]) WITH ORDINALITY AS sent (ends, number) WHERE ends <= clock_timestamp() ORDER BY number`, ends)
	if err != nil || len(ended) == 0 {
		return err
	}
	var issues []fault.Issue
	for _, i := range ended {
		issues = append(issues, fault.Issue{
			Code: shape.Range, Path: []string{"permissions", "resources", strconv.Itoa(i), "expiresAt"}, Message: "must be in the future, in milliseconds",
		})
	}
	return fault.InvalidArgument(issues...)
}

// lastPermissions keeps the last one of each resource.
func lastPermissions(permissions []Permission) []Permission {
	seen := map[Resource]bool{}
	var kept []Permission
	for _, p := range slices.Backward(permissions) {
		if !seen[p.Resource] {
			kept = append(kept, p)
		}
		seen[p.Resource] = true
	}
	slices.Reverse(kept)
	return kept
}

// lockNamed holds organizations for a change of their people, always in the
// same order.
const lockNamed = `
SELECT organization_id, key FROM organizations WHERE workspace_id = $1 AND organization_id = ANY($2) ORDER BY key ` + LockPeople

// What stands in organizations, by their keys and the callers' ids; it stays until
// the end of the transaction.
const (
	holdFolders = `
SELECT sent.number - 1, f.key FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS sent (organization, id, number)
JOIN folders f ON f.organization_key = sent.organization AND f.folder_id = sent.id FOR KEY SHARE OF f`
	holdDocuments = `
SELECT sent.number - 1, d.key FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS sent (organization, id, number)
JOIN documents d ON d.organization_key = sent.organization AND d.document_id = sent.id FOR KEY SHARE OF d`
)

// openResources finds the resources and holds their organizations against other
// changes of people; nil for one that is not there. It also returns the keys of the
// organizations that are there.
func openResources(ctx context.Context, tx *pg.Tx, workspaceID string, resources []Resource) (scopes []*Scope, organizations map[string]int64, err error) {
	names := make([]string, len(resources))
	for i, r := range resources {
		names[i] = r.OrganizationID
	}
	if organizations, err = keysOf[string](ctx, tx, lockNamed, workspaceID, names); err != nil {
		return nil, nil, err
	}
	keys, ids := make([]int64, len(resources)), make([]string, len(resources))
	for i, r := range resources {
		keys[i], ids[i] = organizations[r.OrganizationID], r.ID // there is no key 0
	}
	folders, err := keysOf[int](ctx, tx, holdFolders, keys, ids)
	if err != nil {
		return nil, nil, err
	}
	documents, err := keysOf[int](ctx, tx, holdDocuments, keys, ids)
	if err != nil {
		return nil, nil, err
	}
	scopes = make([]*Scope, len(resources))
	for i, r := range resources {
		folder, inFolder := folders[i]
		document, inDocument := documents[i]
		switch {
		case r.Type == ResourceOrganization && keys[i] != 0:
			scopes[i] = &Scope{Organization: keys[i]}
		case r.Type == ResourceFolder && inFolder:
			scopes[i] = &Scope{Organization: keys[i], folder: &folder}
		case r.Type == ResourceDocument && inDocument:
			scopes[i] = &Scope{Organization: keys[i], Document: &document}
		default:
		}
	}
	return scopes, organizations, nil
}

// keysOf reads rows of something sent and the key that it has.
func keysOf[T comparable](ctx context.Context, q pg.Queryer, statement string, args ...any) (map[T]int64, error) {
	rows, err := q.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	found := map[T]int64{}
	var sent T
	var key int64
	_, err = pgx.ForEachRow(rows, []any{&sent, &key}, func() error {
		found[sent] = key
		return nil
	})
	return found, err
}

const (
	makeProfiles = `
INSERT INTO profiles (organization_key, user_id, workspace_id) SELECT DISTINCT organization, $2, $3 FROM unnest($1::bigint[]) AS organization
ON CONFLICT (organization_key, user_id) DO NOTHING`
	upsertPermissions = `
INSERT INTO grants (organization_key, folder_key, document_key, user_id, workspace_id, role, expires_at)
SELECT sent.organization, sent.folder, sent.document, $4, $5, sent.role, sent.ends
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $6::text[], $7::timestamptz[]) AS sent (organization, folder, document, role, ends)
ON CONFLICT ON CONSTRAINT grants_once DO UPDATE SET role = excluded.role, expires_at = excluded.expires_at, granted_at = ` + grantedAgain
	deletePermissions = `
DELETE FROM grants g USING unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS sent (organization, folder, document)
WHERE g.organization_key = sent.organization AND g.folder_key IS NOT DISTINCT FROM sent.folder
  AND g.document_key IS NOT DISTINCT FROM sent.document AND g.user_id = $4`
)

// writePermissions makes the profiles that lack, then the grants.
func writePermissions(ctx context.Context, tx *pg.Tx, workspaceID, userID string, permissions []Permission, scopes []*Scope) error {
	organizations, folders, documents := levelsOf(scopes)
	roles, ends := make([]string, len(permissions)), make([]*time.Time, len(permissions))
	for i, p := range permissions {
		roles[i], ends[i] = p.Role, p.ExpiresAt
	}
	b := &pgx.Batch{}
	b.Queue(makeProfiles, organizations, userID, workspaceID)
	b.Queue(upsertPermissions, organizations, folders, documents, userID, workspaceID, roles, ends)
	return tx.SendBatch(ctx, b).Close()
}

// levelsOf are the columns of grants at these levels.
func levelsOf(scopes []*Scope) (organizations []int64, folders, documents []*int64) {
	for _, s := range scopes {
		if s != nil {
			organizations, folders, documents = append(organizations, s.Organization), append(folders, s.folder), append(documents, s.Document)
		}
	}
	return organizations, folders, documents
}

// Remove takes grants from a user; what is not granted, or not there, stays so. With one
// on an organization goes what members have.
func (s *Permissions) Remove(ctx context.Context, workspaceID, userID string, resources []Resource) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		scopes, _, err := openResources(ctx, tx, workspaceID, resources)
		if err != nil {
			return err
		}
		organizations, folders, documents := levelsOf(scopes)
		b := &pgx.Batch{}
		b.Queue(deletePermissions, organizations, folders, documents, userID)
		for _, r := range pg.Distinct(resources) {
			for _, forget := range s.forget {
				if r.Type == ResourceOrganization {
					forget(b, workspaceID, r.OrganizationID, []string{userID})
				}
			}
		}
		return tx.SendBatch(ctx, b).Close()
	})
}
