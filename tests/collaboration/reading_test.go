package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsRead_5_AMigratedDocumentKeepsItsMarks(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")), kit.Annotated("b", kit.Wrote("ann", "b")), kit.Annotated("c", kit.Wrote("ann", "c"))))
	kit.Read(env, kit.ReadBy("eve"))
	kit.Read(env, kit.ReadBy("bob", "a"))
	kit.Migrated(env, kit.Migrates(env, "d", "e"))
	require.Equal(t, [2]int{3, 0}, kit.Counts(env, "eve", "e")["e"])
	require.Equal(t, [2]int{3, 2}, kit.Counts(env, "bob", "e")["e"])
	require.Equal(t, "document", kit.Details(env, client.ReadAnnotations, kit.ReadBy("eve"))["resource"])
}
