package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// FolderFilter says which folders are read: the one with FolderID, or those at the
// top. Depth is how many levels are read, these included.
type FolderFilter struct {
	OrganizationID string `json:"organizationId"`
	FolderID       string `json:"folderId"`
	Depth          int    `json:"depth"`
}

// FolderView is a folder with what stands in it, newest first. ParentID is empty at
// the top. Ancestors are the ids of the folders above it from the top on; Access is
// what holds in the folder, Inherits says that it is not its own setting.
type FolderView struct {
	FolderID, Name, ParentID string
	Ancestors                []string
	Access                   string
	Inherits                 bool
	CreatedAt, UpdatedAt     time.Time
	SubFolders               []*FolderView

	// size is how large the folder is as JSON, with what stands in it where it is the
	// first of a tree; path is the share of the ancestors of those in it.
	size, path int64
}

// FolderPosition is where a page of folders ended: the key of the folder, which is
// higher the later it was made.
type FolderPosition = int64

// FolderPage is a page of folders, newest first.
type FolderPage = list.Page[*FolderView, FolderPosition]

// folderTree reads folders and what stands below them, so many levels deep, those
// above before those below and the newest first. What stands above the folders is
// read with levels below 1. set is the setting nearest above or at a folder. The two
// texts say where above begins, and which folders are first. One folder more than
// the page has says that another page follows; nothing below it is read. Of all these no more are read than $6, level by level;
// the last column is how many these are.
const folderTree = `
WITH RECURSIVE above (key, parent_key, folder_id, access, level) AS (
    SELECT p.key, p.parent_key, p.folder_id, p.access, 0 FROM folders f JOIN folders p ON p.key = f.parent_key WHERE %[1]s
    UNION ALL
    SELECT f.key, f.parent_key, f.folder_id, f.access, a.level - 1 FROM above a JOIN folders f ON f.key = a.parent_key
), first AS (
    SELECT f.* FROM folders f WHERE %[2]s
), tree (first, number, level, key, parent_key, folder_id, name, access, default_access, set, created_at, updated_at) AS (
    SELECT f.key, row_number() OVER (ORDER BY f.key DESC), 1, f.key, f.parent_key, f.folder_id, f.name, f.access, f.default_access,
           coalesce(f.access, (SELECT a.access FROM above a WHERE a.access IS NOT NULL ORDER BY a.level DESC LIMIT 1)), f.created_at, f.updated_at
    FROM first f
    UNION ALL
    SELECT t.first, t.number, t.level + 1, f.key, f.parent_key, f.folder_id, f.name, f.access, f.default_access,
           coalesce(f.access, t.set), f.created_at, f.updated_at
    FROM tree t JOIN folders f ON f.parent_key = t.key WHERE f.folder_id IS NOT NULL AND t.level < $3 AND t.number < $4
)
SELECT 0 AS number, level, key, coalesce(parent_key, 0), folder_id, '' AS name, '' AS access, false AS inherits, now() AS made, now(), 0::bigint FROM above
UNION ALL
SELECT t.number, t.level, t.key, coalesce(t.parent_key, 0), t.folder_id, t.name,
       coalesce(t.set, (SELECT access FROM organizations o WHERE ` + namedOrganization + `), t.default_access), t.access IS NULL,
       t.created_at, t.updated_at, count(*) OVER ()
FROM (SELECT * FROM tree LIMIT $6) t ORDER BY number, level, key DESC`

// namedOrganization is the condition for the organization o of a caller's id.
const namedOrganization = `o.workspace_id = $1 AND o.organization_id = $2`

const inNamedOrganization = `f.organization_key = (SELECT o.key FROM organizations o WHERE ` + namedOrganization + `)`

// The two kinds of a read: of a folder, and of a page of those at the top.
var (
	readFolder = fmt.Sprintf(folderTree, inNamedOrganization+` AND f.folder_id = $5`, inNamedOrganization+` AND f.folder_id = $5`)
	readTop    = fmt.Sprintf(folderTree, `false`,
		inNamedOrganization+` AND f.parent_key IS NULL AND f.folder_id IS NOT NULL AND f.key < $5 ORDER BY f.key DESC LIMIT $4`)
)

// Get reads folders; of an organization or a folder that is not there an empty page.
// A page has size folders of the first level at most, and fewer where more with what stands in them would be more than one
// answer takes. Error: INVALID_ARGUMENT where one alone is more.
func (s *Folders) Get(ctx context.Context, workspaceID string, f FolderFilter, after *FolderPosition, size int) (*FolderPage, error) {
	for ; ; size /= 2 {
		read, err := s.read(ctx, workspaceID, f, after, size)
		switch {
		case err != nil:
			return nil, err
		case read.isCut && size > 1 && f.FolderID == "":
		case read.isCut, len(read.Items) == 1 && read.full():
			return nil, fault.InvalidArgument(fault.Issue{
				Code: shape.Range, Path: []string{"maxDepth"}, Message: "more folders stand in one than an answer takes; ask for fewer levels",
			})
		default:
			read.Cut(size)
			read.CutBytes(func(v *FolderView) int64 { return v.size })
			return read.Page(), nil
		}
	}
}

// read reads size folders of the first level and one more, with what stands in them, until an answer is full.
func (s *Folders) read(ctx context.Context, workspaceID string, f FolderFilter, after *FolderPosition, size int) (*forest, error) {
	statement, from := readFolder, any(f.FolderID)
	if f.FolderID == "" {
		statement, from = readTop, behind(after)
	}
	rows, err := s.db.Pool.Query(ctx, statement, workspaceID, f.OrganizationID, f.Depth, size+1, from, mostFolders+1)
	if err != nil {
		return nil, pg.Translate(err)
	}
	defer rows.Close()
	read := &forest{views: map[int64]*FolderView{}, around: aroundFolder + shape.WrittenLen(f.OrganizationID)}
	for rows.Next() && !read.full() {
		if err := read.add(rows); err != nil {
			return nil, pg.Translate(err)
		}
	}
	rows.Close()
	return read, pg.Translate(rows.Err())
}

// behind is the key of which a page has only lower ones.
func behind(after *FolderPosition) int64 {
	if after == nil {
		return 1<<63 - 1
	}
	return *after
}

// aroundFolder is how many bytes stand around the texts of a folder as JSON: names,
// times and marks. It is a little more than that takes.
const aroundFolder = 320

// mostFolders is how many folders an answer has at most, were their texts empty.
const mostFolders = list.AnswerLimit / aroundFolder

// forest are folders as they are read, each after the one that it stands in.
type forest struct {
	list.Found[*FolderView, FolderPosition]
	views map[int64]*FolderView
	// around is what a folder takes as JSON without texts of its own, total what all
	// of them take.
	around, total int64
	// isCut says that there are more than mostFolders: anything may be missing in any of them.
	isCut bool
}

// full reports whether more folders were read than an answer holds: the last one of the first level is not part of it.
func (f *forest) full() bool { return f.isCut || f.total > list.AnswerLimit }

func (f *forest) add(row pgx.Row) error {
	v := &FolderView{Ancestors: []string{}}
	var number, level int
	var key, parent, all int64
	if err := row.Scan(&number, &level, &key, &parent, &v.FolderID, &v.Name, &v.Access, &v.Inherits, &v.CreatedAt, &v.UpdatedAt, &all); err != nil {
		return err
	}
	f.isCut = all > mostFolders
	f.views[key] = v
	own := shape.WrittenLen(v.FolderID)
	v.path = own + int64(len(`"",`))
	if above := f.views[parent]; above != nil {
		v.ParentID, v.Ancestors = above.FolderID, append(slices.Clip(above.Ancestors), above.FolderID)
		own += shape.WrittenLen(v.ParentID) + above.path
		v.path += above.path
		if level > 1 {
			above.SubFolders = append(above.SubFolders, v)
		}
	}
	if level == 1 {
		f.Add(v, key)
	}
	if level >= 1 {
		v.size = f.around + own + shape.WrittenLen(v.Name)
		f.total += v.size
		if level > 1 {
			f.Items[len(f.Items)-1].size += v.size
		}
	}
	return nil
}
