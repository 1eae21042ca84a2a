package job_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	jobs "github.com/redline-svc/redline/activities/job"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/job"
	patterns "github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/search"
)

// scopes plays the rows of patterns: what is left to look through, with the judgments of
// each.
type scopes struct {
	left    []*patterns.Scope
	members []pattern.Member
	kept    [][]pattern.Pattern
	// former is the category that patterns have, by one of their judgments; again counts
	// the scopes that are to be looked through again.
	former map[string]string
	again  int
	// reading counts who reads judgments or looks through them.
	reading, most atomic.Int32
	wait          func()
}

func (s *scopes) Next(context.Context, *job.Job) (*patterns.Scope, error) {
	if len(s.left) == 0 {
		return nil, nil //nolint:nilnil // as the rows do
	}
	return s.left[0], nil
}

func (s *scopes) Members(context.Context, *patterns.Scope) ([]pattern.Member, error) {
	s.most.Store(max(s.most.Load(), s.reading.Add(1)))
	if s.wait != nil {
		s.wait()
	}
	s.reading.Add(-1)
	return s.members, nil
}

func (s *scopes) Category(_ context.Context, _ *patterns.Scope, recordID string) (string, error) {
	return s.former[recordID], nil
}

func (s *scopes) Keep(_ context.Context, of *patterns.Scope, found []pattern.Pattern) error {
	s.left, s.kept = s.left[1:], append(s.kept, found)
	if of.Again {
		s.again++
	}
	return nil
}

// agreed are three approvals of like things in acme.
func agreed() []pattern.Member {
	members := make([]pattern.Member, 3)
	for i, name := range []string{"ann", "bob", "cid"} {
		members[i] = pattern.Member{RecordID: name, ReviewerID: name, OrganizationID: "acme", Approves: true, Reasoning: "Ok.", Review: []float32{1, 0}}
	}
	return members
}

func serving(context.Context) (embed.Identity, error) { return embed.Identity{Model: "m"}, nil }

func noRules(context.Context, string, string, search.NearRule) (string, error) { return "", nil }

func TestPatternsAreLookedForScopeByScope(t *testing.T) {
	key := int64(7)
	s := &scopes{left: []*patterns.Scope{{WorkspaceID: "ws"}, {WorkspaceID: "ws", OrganizationKey: &key}}, members: agreed()}
	var asked []search.NearRule
	rules := func(_ context.Context, workspaceID, text string, q search.NearRule) (string, error) {
		assert.Equal(t, "ws", workspaceID)
		assert.Equal(t, "Ok.", text)
		asked = append(asked, q)
		return "Sources", nil
	}
	r := &rows{job: &job.Job{ID: "det_1", Kind: job.Detection}}
	result, err := try(t, r, map[string]jobs.Handler{job.Detection: jobs.Detect(s, rules, serving)})
	require.NoError(t, err)
	require.True(t, r.ended)
	require.EqualValues(t, 6, result.Done)
	require.Len(t, s.kept, 2)
	require.Empty(t, s.kept[0], "one organization is not the workspace")
	require.Len(t, s.kept[1], 1)
	require.Equal(t, "Sources", s.kept[1][0].Category)
	require.Equal(t, []search.NearRule{{OrganizationID: "acme", Within: 0.4}}, asked)
}

// While the index is away a pattern keeps the category that it had, and its scope is looked
// through again when that is over.
func TestADetectionDoesNotWaitForTheIndexOfRules(t *testing.T) {
	key := int64(7)
	away := func(context.Context, string, string, search.NearRule) (string, error) {
		return "", fault.Unavailable(errors.New("no answer"))
	}
	for former, want := range map[string]string{"Sources": "Sources", "": "general"} {
		s := &scopes{left: []*patterns.Scope{{WorkspaceID: "ws"}, {WorkspaceID: "ws", OrganizationKey: &key}}, members: agreed(), former: map[string]string{"ann": former}}
		r := &rows{job: &job.Job{ID: "det_1", Kind: job.Detection}}
		_, err := try(t, r, map[string]jobs.Handler{job.Detection: jobs.Detect(s, away, serving)})
		require.NoError(t, err)
		require.True(t, r.ended)
		require.Equal(t, want, s.kept[1][0].Category)
		require.Equal(t, 1, s.again, "no rule was asked for of the workspace, which has no pattern")
	}
}

// A fault that is not the index's ends the try.
func TestADetectionFailsWithTheRows(t *testing.T) {
	key := int64(7)
	s := &scopes{left: []*patterns.Scope{{WorkspaceID: "ws", OrganizationKey: &key}}, members: agreed()}
	broken := func(context.Context, string, string, search.NearRule) (string, error) {
		return "", errors.New("broken")
	}
	r := &rows{job: &job.Job{ID: "det_1", Kind: job.Detection}}
	_, err := try(t, r, map[string]jobs.Handler{job.Detection: jobs.Detect(s, broken, serving)})
	require.Error(t, err)
	require.False(t, r.ended)
	require.Empty(t, s.kept)
}

// Thresholds are those of a model that serves no earlier than the vectors were read: a scope
// that was read before a switch is looked through again, one that was read after it is not.
func TestADetectionAsksForTheModelOfWhatItHasRead(t *testing.T) {
	read := false
	s := &scopes{left: []*patterns.Scope{{WorkspaceID: "ws"}}, members: agreed(), wait: func() { read = true }}
	asked := 0
	model := func(ctx context.Context) (embed.Identity, error) {
		asked++
		assert.True(t, read)
		return serving(ctx)
	}
	_, more, err := jobs.Detect(s, noRules, model)(t.Context(), &job.Job{})
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, 1, asked)
}

// A process has the judgments of one scope in memory at a time.
func TestAProcessLooksThroughOneScopeAtATime(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	s := &scopes{left: []*patterns.Scope{{WorkspaceID: "ws"}}, wait: func() {
		begun <- struct{}{}
		<-release
	}}
	handle := jobs.Detect(s, noRules, serving)
	ended := make(chan error, 1)
	go func() {
		_, _, err := handle(context.Background(), &job.Job{})
		ended <- err
	}()
	<-begun
	own, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := handle(own, &job.Job{})
	require.ErrorIs(t, err, context.Canceled, "it is not its turn")
	close(release)
	require.NoError(t, <-ended)
	require.EqualValues(t, 1, s.most.Load())
}
