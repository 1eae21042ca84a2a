package directory

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/access"
	"github.com/redline-svc/redline/models/internal/pg"
)

// PermissionFilter names users, and resources of one organization.
type PermissionFilter struct {
	OrganizationID                  string
	UserIDs, FolderIDs, DocumentIDs []string
}

// UserPermissions are what a user may do with the organization and the resources that
// were asked for, each in the order of the request.
type UserPermissions struct {
	UserID             string
	Organization       Standing
	Folders, Documents []Standing
}

// Standing is what a user may do with a resource: Role is that of the nearest grant
// that counts, empty where the user may not enter, and ExpiresAt when that grant
// ends. Access is the type that holds for the resource, empty for one that does not
// exist.
type Standing struct {
	ID           string
	Role, Access string
	ExpiresAt    *time.Time
	// Shut means that nobody may enter, whatever is set and granted.
	Shut bool
}

// Exists reports whether there is such a resource.
func (s Standing) Exists() bool { return s.Access != "" }

// Keys of the resources of an organization by the callers' ids.
const (
	readFolderKeys   = `SELECT folder_id, key FROM folders WHERE organization_key = $1 AND folder_id = ANY($2)`
	readDocumentKeys = `SELECT document_id, key FROM documents WHERE organization_key = $1 AND document_id = ANY($2)`
	readOrganization = `SELECT organization_id, key FROM organizations WHERE workspace_id = $1 AND organization_id = $2`
)

// Get reads what users may do, all of it in one state of the rows.
func (s *Permissions) Get(ctx context.Context, workspaceID string, f PermissionFilter) ([]UserPermissions, error) {
	var organization, folders, documents *reach
	organizationID := []string{f.OrganizationID}
	users := pg.Distinct(f.UserIDs)
	err := s.db.Read(ctx, func(tx *pg.Tx) error {
		found, err := keysOf[string](ctx, tx, readOrganization, workspaceID, f.OrganizationID)
		if err != nil {
			return err
		}
		key := found[f.OrganizationID] // there is no key 0, and nothing in it
		if organization, err = reachOf(ctx, tx, readOrganizationAccess, key, found, organizationID, users); err != nil {
			return err
		}
		if found, err = keysOf[string](ctx, tx, readFolderKeys, key, f.FolderIDs); err != nil {
			return err
		}
		if folders, err = reachOf(ctx, tx, readFolderAccess, key, found, f.FolderIDs, users); err != nil {
			return err
		}
		if found, err = keysOf[string](ctx, tx, readDocumentKeys, key, f.DocumentIDs); err != nil {
			return err
		}
		documents, err = reachOf(ctx, tx, readDocumentAccess, key, found, f.DocumentIDs, users)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := make([]UserPermissions, len(users))
	for i, user := range users {
		all[i] = UserPermissions{user, organization.standings(user)[0], folders.standings(user), documents.standings(user)}
	}
	return all, nil
}

// reach is what is needed to decide about resources of one type.
type reach struct {
	ids    []string
	keys   map[string]int64
	access *Access
}

// reachOf reads by a statement of access.go what decides about resources with these
// keys.
func reachOf(ctx context.Context, q pg.Queryer, statement string, organization int64, keys map[string]int64, ids, users []string) (*reach, error) {
	var asked []int64
	for _, key := range keys {
		asked = append(asked, key)
	}
	found, err := readAccess(ctx, q, statement, organization, asked, users)
	return &reach{pg.Distinct(ids), keys, found}, err
}

func (r *reach) standings(user string) []Standing {
	all := make([]Standing, len(r.ids))
	for i, id := range r.ids {
		all[i] = Standing{ID: id}
		if key, there := r.keys[id]; there {
			all[i] = r.standing(id, key, user)
		}
	}
	return all
}

func (r *reach) standing(id string, key int64, user string) Standing {
	s := Standing{ID: id, Access: string(r.access.Type(key)), Shut: r.access.shut(key)}
	if s.Shut {
		return s
	}
	s.ExpiresAt = r.access.ends(key, user)
	switch may := r.access.Decide(key, user); {
	case may.Write:
		s.Role = string(access.Editor)
	case may.Read:
		s.Role = string(access.Viewer)
	default:
	}
	return s
}
