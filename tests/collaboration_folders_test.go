package tests

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	addFolders    = "organizations/folders/add"
	getFolders    = "organizations/folders/get"
	updateFolders = "organizations/folders/update"
	deleteFolder  = "organizations/folders/delete"
	folderAccess  = "organizations/folders/access/update"
)

// folderView is a folder as folders/get reads it.
type folderView struct {
	FolderID                string       `json:"folderId"`
	FolderName              string       `json:"folderName"`
	OrganizationID          string       `json:"organizationId"`
	ParentFolderID          string       `json:"parentFolderId"`
	Ancestors               []string     `json:"ancestors"`
	AccessType              string       `json:"accessType"`
	InheritAccessFromParent bool         `json:"inheritAccessFromParent"`
	CreatedAt               int64        `json:"createdAt"`
	LastUpdated             int64        `json:"lastUpdated"`
	SubFolders              []folderView `json:"subFolders"`
}

// folder is an element of folders/add: "a", or "a in b".
func folder(text string, more ...map[string]any) map[string]any {
	element := map[string]any{}
	id, parent, inside := strings.Cut(text, " in ")
	if element["folderId"] = id; inside {
		element["parentFolderId"] = parent
	}
	for _, fields := range more {
		maps.Copy(element, fields)
	}
	return element
}

// inAcme is the data of a call about acme.
func acmeWith(name string, value any, more ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", name: value}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// folders adds folders to acme.
func (s *scene) folders(texts ...string) {
	s.t.Helper()
	elements := make([]map[string]any, len(texts))
	for i, text := range texts {
		elements[i] = folder(text)
	}
	for id, item := range s.items(addFolders, acmeWith("folders", elements, map[string]any{"createOrganization": true})) {
		require.True(s.t, item.Success, id)
		require.Regexp(s.t, "^[0-9a-f]{32}$", item.ID)
	}
}

// tree reads folders of acme.
func (s *scene) tree(more ...map[string]any) []folderView {
	s.t.Helper()
	var found client.Wrapped[[]folderView]
	s.call(getFolders, acmeWith("maxDepth", 20, more...), &found)
	require.NotNil(s.t, found.Data)
	return found.Data
}

// outline is which folders stand in which: "a(b c)".
func outline(folders []folderView) string {
	texts := make([]string, len(folders))
	for i, f := range folders {
		if texts[i] = f.FolderID; len(f.SubFolders) > 0 {
			texts[i] += "(" + outline(f.SubFolders) + ")"
		}
	}
	return strings.Join(texts, " ")
}

// changeFolder updates one folder of acme and gives the code of its entry.
func (s *scene) changeFolder(folderID string, fields map[string]any) string {
	s.t.Helper()
	return s.items(updateFolders, acmeWith("folders", []any{folder(folderID, fields)}))[folderID].Code
}

func under(parent string) map[string]any { return map[string]any{"parentFolderId": parent} }

func TestFoldersDelete_TakesAllBelowAndFreesTheIds(t *testing.T) {
	s := begin(t)
	s.folders("a", "b in a", "c in b", "d")
	require.Equal(t, "restricted", *s.setAccess([]string{"b"}, map[string]any{"accessType": "restricted"})["b"].AccessType)
	var deleted map[string]any
	s.call(deleteFolder, acmeWith("folderId", "a"), &deleted)
	data, there := deleted["data"]
	require.True(t, there)
	require.Nil(t, data)
	require.Equal(t, "d", outline(s.tree()))
	for _, id := range []string{"a", "b", "c"} {
		require.Equal(t, "NOT_FOUND", s.refused(deleteFolder, acmeWith("folderId", id)).Status)
		require.Equal(t, "not-found", s.changeFolder(id, nil))
		require.Empty(t, s.tree(map[string]any{"folderId": id}))
	}
	require.Equal(t, "not-found", s.changeFolder("d", under("b")))
	s.folders("b", "a in b")
	require.Equal(t, "b(a) d", outline(s.tree()))
	require.Equal(t, "public", s.tree()[0].AccessType, "nothing of the former")
}

// folderAccessView is one entry of folders/access/update.
type folderAccessView struct {
	Success           bool    `json:"success"`
	AccessType        *string `json:"accessType"`
	InheritFromParent bool    `json:"inheritFromParent"`
	Code              string  `json:"code"`
}

func (s *scene) setAccess(folderIDs []string, fields map[string]any) map[string]folderAccessView {
	s.t.Helper()
	var found client.Wrapped[map[string]folderAccessView]
	s.call(folderAccess, acmeWith("folderIds", folderIDs, fields), &found)
	return found.Data
}
