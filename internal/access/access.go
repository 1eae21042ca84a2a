package access

// Type is a setting of a document, a folder or an organization.
type Type string

// The types. Unset means that the one above decides.
const (
	Unset               Type = ""
	Public              Type = "public"
	OrganizationPrivate Type = "organizationPrivate"
	Restricted          Type = "restricted"
)

// Role is what a grant allows.
type Role string

// The roles: an editor reads and writes, a viewer reads.
const (
	Viewer Role = "viewer"
	Editor Role = "editor"
)

// Document is the level of a document; folders above it follow, the nearest at
// 1, and the organization has the level behind the last folder.
const Document = 0

// Settings are those of a document and of what is above it.
type Settings struct {
	Document Type
	// Folders are those above the document, nearest first.
	Folders      []Type
	Organization Type
	// Default is the workspace's when the document was made. It counts as set on
	// the organization and is never Unset.
	Default Type
	// Shut means that nobody may enter, whatever else is set.
	Shut bool
}

// OrganizationLevel is the level of the organization.
func (p Settings) OrganizationLevel() int { return len(p.Folders) + 1 }

// Effective returns the type that holds and the level where it was set.
func (p Settings) Effective() (Type, int) {
	if p.Document != Unset {
		return p.Document, Document
	}
	for i, t := range p.Folders {
		if t != Unset {
			return t, i + 1
		}
	}
	if p.Organization != Unset {
		return p.Organization, p.OrganizationLevel()
	}
	return p.Default, p.OrganizationLevel()
}

// Grant is one of a user's grants that has not expired, on the document or on
// something above it.
type Grant struct {
	Level int
	Role  Role
}

// Decision is what a user may do.
type Decision struct{ Read, Write bool }

// Decide returns what one user with these grants may do.
func Decide(settings Settings, grants []Grant) Decision {
	if settings.Shut {
		return Decision{}
	}
	nearest, found := Nearest(settings, grants)
	if !found {
		effective, _ := settings.Effective()
		open := effective == Public
		return Decision{Read: open, Write: open}
	}
	return Decision{Read: true, Write: nearest.Role == Editor}
}

// Nearest returns the grant whose role holds: of those that count the one nearest to
// the document. There is none where no grant counts.
func Nearest(settings Settings, grants []Grant) (nearest Grant, found bool) {
	effective, setAt := settings.Effective()
	for _, g := range grants {
		counts := effective != Restricted || g.Level <= setAt
		if counts && (!found || g.Level < nearest.Level) {
			nearest, found = g, true
		}
	}
	return nearest, found
}
