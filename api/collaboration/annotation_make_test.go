package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/directory"
)

func TestUsersOfAVisibilityAreKeptOnce(t *testing.T) {
	t.Parallel()
	sent := &VisibilityData{Type: directory.VisibleRestricted, UserIDs: []string{"cat", "ann", "cat", "bob", "ann"}, OrganizationID: "acme"}
	require.Equal(t, directory.Visibility{Type: directory.VisibleRestricted, UserIDs: []string{"cat", "ann", "bob"}}, sent.visibility())
	require.Equal(t, []string{"cat", "ann", "cat", "bob", "ann"}, sent.UserIDs, "the request stays as it was sent")
}
