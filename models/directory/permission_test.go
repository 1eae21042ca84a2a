package directory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestPermissionsAdd_1and2_OneGrant(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.holds("f")
	store := directory.NewPermissions(c.DB)
	folder := directory.Resource{Type: directory.ResourceFolder, OrganizationID: "acme", ID: "f"}
	for _, err := range modelstest.AtOnce(10, func(i int) error {
		return store.Add(t.Context(), modelstest.Workspace, "ann", []directory.Permission{{Resource: folder, Role: []string{"viewer", "editor"}[i%2]}})
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"1"}, c.Rows(`SELECT count(*)::text FROM grants`))
	c.grants("ann", "editor of f")
	c.grants("ann", "viewer of f")
	require.Equal(t, []string{"ann viewer"}, c.Rows(`SELECT user_id || ' ' || role FROM grants`))
	require.Equal(t, []string{"ann"}, c.Rows(`SELECT user_id FROM profiles WHERE name IS NULL AND initial = ''`), "a profile with only the id")
	require.NoError(t, store.Remove(t.Context(), modelstest.Workspace, "ann", []directory.Resource{folder, folder}))
	require.Empty(t, c.Rows(`SELECT user_id FROM grants`))
}

// Calls about the same organizations in opposite order wait for one another.
func TestPermissionsOnManyOrganizationsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	var forth []directory.Permission
	for i := range 30 {
		id := fmt.Sprint("org", i)
		c.Adds(directory.Container{OrganizationID: id}, modelstest.Known("member", "Member"))
		forth = append(forth, directory.Permission{Resource: directory.Resource{Type: directory.ResourceOrganization, OrganizationID: id, ID: id}, Role: "viewer"})
	}
	back := slices.Clone(forth)
	slices.Reverse(back)
	store := directory.NewPermissions(c.DB)
	for _, err := range modelstest.AtOnce(10, func(i int) error {
		return store.Add(t.Context(), modelstest.Workspace, "ann", [][]directory.Permission{forth, back}[i%2])
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"30"}, c.Rows(`SELECT count(*)::text FROM grants WHERE user_id = 'ann'`))
}
