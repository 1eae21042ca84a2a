package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/workspace"
)

// book plays the stores behind the operations on workspaces.
type book struct {
	workspaceStore
	err  error
	made []workspace.NewWorkspace
}

func (b *book) Create(_ context.Context, _ workspace.Caller, n workspace.NewWorkspace) (*workspace.Workspace, error) {
	b.made = append(b.made, n)
	if b.err != nil {
		return nil, b.err
	}
	return &workspace.Workspace{ID: "ws_1", CreatedAt: time.Unix(0, 0)}, nil
}

type listed map[string]bool

func (l listed) Has(domain string) bool { return l[domain] }

// hourWindow counts uses like the shared one does.
type hourWindow struct {
	limit.Store
	uses int
}

func (w *hourWindow) Enter(_ context.Context, _ string, _ time.Duration, most int) (int64, time.Duration, error) {
	if w.uses >= most {
		return 0, time.Minute, nil
	}
	w.uses++
	return int64(w.uses), 0, nil
}

func (w *hourWindow) Leave(context.Context, int64) error {
	w.uses--
	return nil
}

func creations(most int) (*hourWindow, *limit.Limiter) {
	window := &hourWindow{}
	return window, limit.New(window, nil, map[limit.Class]int{limit.Create: most})
}

func TestCreationsAreCountedAfterTheirShape(t *testing.T) {
	window, limiter := creations(2)
	store := &book{}
	workspaces := NewWorkspaces(store, listed{"throw.example": true}, limiter)
	_, err := workspaces.Create(t.Context(), &CreateWorkspace{OwnerEmail: "a@throw.example"})
	require.Equal(t, "disposable-domain", fault.From(err).Reason)
	require.Equal(t, fault.StatusInvalidArgument, fault.From(err).Status)
	assert.Zero(t, window.uses, "a refused address uses none")

	store.err = fault.AlreadyExists("workspace-exists", "there is one")
	_, err = workspaces.Create(t.Context(), &CreateWorkspace{OwnerEmail: "a@example.com"})
	require.True(t, fault.Is(err, fault.StatusAlreadyExists))
	assert.Equal(t, 1, window.uses, "whatever comes after it is used")

	for _, serverFault := range []error{fault.Unavailable(errors.New("x")), fault.DeadlineExceeded(errors.New("x")), errors.New("x")} {
		store.err = serverFault
		_, err = workspaces.Create(t.Context(), &CreateWorkspace{OwnerEmail: "a@example.com"})
		require.ErrorIs(t, err, serverFault)
		assert.Equal(t, 1, window.uses, "faults of the server give it back")
	}

	store.err = nil
	_, err = workspaces.Create(t.Context(), &CreateWorkspace{OwnerEmail: "a@example.com"})
	require.NoError(t, err)
	calls := len(store.made)
	_, err = workspaces.Create(t.Context(), &CreateWorkspace{OwnerEmail: "a@example.com"})
	require.Equal(t, "ip-limit", fault.From(err).Reason)
	assert.Equal(t, time.Minute, fault.From(err).RetryAfter)
	assert.Len(t, store.made, calls, "the store is not asked beyond the limit")
}

func TestKeysKeepTheirOrderAsJSON(t *testing.T) {
	keys := APIKeyList{{"B & <b>", "ak_9", "testing"}, {"A", "ak_1", "production"}, {"C", "ak_5", "testing"}}
	text, err := json.Marshal(keys)
	require.NoError(t, err)
	assert.Regexp(t, `^\{"ak_9":\{.*"ak_1":\{.*"ak_5":\{`, string(text))
	var read APIKeyList
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, keys, read)
	text, err = json.Marshal(APIKeyList{})
	require.NoError(t, err)
	assert.Equal(t, `{}`, string(text))
	for _, bad := range []string{`[]`, `{"a":1}`, `7`} {
		require.Error(t, json.Unmarshal([]byte(bad), &read), bad)
	}
}

func TestCreateAPIKeyNormalises(t *testing.T) {
	no := false
	request := &CreateAPIKey{
		OwnerEmail: "élodie@exemple.fr", Type: "production", CreateAuthToken: &no, AddLocalHost: true,
		AllowedDomains: []string{"https://www.Example.com:443/app", "example.com", "localhost"},
	}
	require.Empty(t, request.Validate())
	n, err := request.newKey()
	require.NoError(t, err)
	assert.Equal(t, []string{"example.com", "localhost", "127.0.0.1"}, n.Domains)
	assert.Equal(t, "Élodie Production API Key", n.Name)
	assert.False(t, n.WithToken)

	request = &CreateAPIKey{OwnerEmail: "nobody", AllowedDomains: []string{"ok.example", "*", "me@x.example"}}
	var at [][]string
	for _, issue := range request.Validate() {
		assert.Equal(t, "format", issue.Code)
		at = append(at, issue.Path)
	}
	assert.Equal(t, [][]string{{"ownerEmail"}, {"allowedDomains", "1"}, {"allowedDomains", "2"}}, at)
}

// shelf plays the store of keys: as many as asked for, and always one more.
type shelf struct {
	keyStore
	after *workspace.KeyPosition
}

func (s *shelf) List(_ context.Context, _ string, _ []string, after *workspace.KeyPosition, size int) (*workspace.KeyPage, error) {
	s.after = after
	next := &workspace.KeyPosition{ID: "ak_1", CreatedAt: time.Unix(5, 1000).UTC()}
	return &workspace.KeyPage{Items: make([]workspace.APIKey, size), Next: next}, nil
}

func TestPageTokensBelongToTheirFilter(t *testing.T) {
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	store := &shelf{}
	keys := NewAPIKeys(store, cursor.New(box))
	first, err := keys.List(t.Context(), &ListAPIKeys{APIKeys: []string{"ak_1", "ak_2"}})
	require.NoError(t, err)
	assert.Len(t, first.Data, keyPageSize)
	_, err = keys.List(t.Context(), &ListAPIKeys{APIKeys: []string{"ak_2", "ak_1"}, PageToken: first.NextPageToken, PageSize: 1})
	require.NoError(t, err)
	assert.Equal(t, &workspace.KeyPosition{ID: "ak_1", CreatedAt: time.Unix(5, 1000).UTC()}, store.after)
	for _, filter := range [][]string{nil, {"ak_1"}} {
		_, err = keys.List(t.Context(), &ListAPIKeys{APIKeys: filter, PageToken: first.NextPageToken})
		require.True(t, fault.Is(err, fault.StatusInvalidArgument))
		assert.Equal(t, []string{"pageToken"}, fault.From(err).Issues[0].Path)
	}
}
