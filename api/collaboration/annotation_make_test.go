package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
)

func TestUsersOfAVisibilityAreKeptOnce(t *testing.T) {
	t.Parallel()
	sent := &VisibilityData{Type: models.VisibleRestricted, UserIDs: []string{"cat", "ann", "cat", "bob", "ann"}, OrganizationID: "acme"}
	require.Equal(t, models.Visibility{Type: models.VisibleRestricted, UserIDs: []string{"cat", "ann", "bob"}}, sent.visibility())
	require.Equal(t, []string{"cat", "ann", "cat", "bob", "ann"}, sent.UserIDs, "the request stays as it was sent")
}
