package kit

import (
	"maps"
	"strings"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Folder returns an element of folders/add: "a", or "a in b" for one whose parent is b.
func Folder(text string, more ...map[string]any) map[string]any {
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

// AcmeWith returns a call about acme with the named value and more fields.
func AcmeWith(name string, value any, more ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme", name: value}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// Folders adds folders to acme, each as Folder reads it, which has to succeed for all of
// them.
func Folders(env *Env, texts ...string) {
	env.T.Helper()
	elements := make([]map[string]any, len(texts))
	for i, text := range texts {
		elements[i] = Folder(text)
	}
	for id, item := range Items(env, client.AddFolders, AcmeWith("folders", elements, map[string]any{"createOrganization": true})) {
		require.True(env.T, item.Success, id)
		require.Regexp(env.T, "^[0-9a-f]{32}$", item.ID)
	}
}

// Tree returns the folders of acme that a call finds, those inside of others within them.
func Tree(env *Env, more ...map[string]any) []redline.Folder {
	env.T.Helper()
	var found redline.FolderListResult
	env.Call(client.GetFolders, AcmeWith("maxDepth", 20, more...), &found)
	require.NotNil(env.T, found.Data)
	return found.Data
}

// Outline returns which folders stand in which: "a(b c)".
func Outline(folders []redline.Folder) string {
	texts := make([]string, len(folders))
	for i, f := range folders {
		if texts[i] = f.FolderID; len(f.SubFolders) > 0 {
			texts[i] += "(" + Outline(f.SubFolders) + ")"
		}
	}
	return strings.Join(texts, " ")
}

// ChangeFolder updates one folder of acme and returns the code of its entry.
func ChangeFolder(env *Env, folderID string, fields map[string]any) string {
	env.T.Helper()
	return string(Items(env, client.UpdateFolders, AcmeWith("folders", []any{Folder(folderID, fields)}))[folderID].Code)
}

// Under returns the fields of a folder with the parent.
func Under(parent string) map[string]any { return map[string]any{"parentFolderId": parent} }

// SetAccess sets the access of folders of acme and returns an entry for each.
func SetAccess(env *Env, folderIDs []string, fields map[string]any) map[string]redline.FolderAccess {
	env.T.Helper()
	var found redline.FolderAccessByIDResult
	env.Call(client.FolderAccess, AcmeWith("folderIds", folderIDs, fields), &found)
	return found.Data
}
