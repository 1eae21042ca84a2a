package memory

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
)

// costly ends all it is given as what takes more than it may.
type costly struct{}

func (costly) Run(context.Context, string, []byte, any) error {
	return extract.Fail(extract.Timeout, "It takes more than it may.")
}

// updatable has a source that can be updated, and nothing else.
type updatable struct{ knowledgeStore }

func (updatable) CheckUpdate(context.Context, string, string, *int) error { return nil }

func TestAnUpdateThatCostsTooMuchChangesNothing(t *testing.T) {
	t.Parallel()
	k := NewKnowledge(KnowledgeParts{Store: updatable{}, Drawing: knowledge.Drawing{Runner: costly{}}})
	_, err := k.Update(t.Context(), &UpdateRequest{SourceID: "src", NewContent: strings.Repeat("A. ", 10_000)})
	require.True(t, fault.Is(err, fault.StatusInvalidArgument), err)
	require.Equal(t, "content-too-costly", fault.From(err).Reason)
}
