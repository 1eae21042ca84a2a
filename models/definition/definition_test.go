package definition_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/queue"
)

// shelf is a store of definitions and the executions of them.
type shelf struct {
	*definitions.Definitions
	executions *execution.Executions
	work       *queue.Queue
	t          *testing.T
	db         *pg.DB
	box        *secret.Box
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	db, box := pgtest.New(t), modelstest.NewBox(t)
	modelstest.AddWorkspace(t, db, modelstest.Workspace)
	store := definitions.New(db, box)
	return &shelf{store, execution.New(db, box, store, execution.Options{StepCalls: 10}), queue.New(db), t, db, box}
}

// written parses a definition of one step with more keys.
func written(t *testing.T, definitionID, name, more string, update bool) *definition.Definition {
	t.Helper()
	text := fmt.Sprintf(`{"definitionId":%q,"name":%q,"nodes":[{"nodeId":"n","type":"agent","config":{"agentId":"__mock__"}}],"edges":[ ]%s}`,
		definitionID, name, more)
	d, issues := definition.Parse([]byte(text), definition.Options{Update: update})
	require.Empty(t, issues)
	return d
}

func (s *shelf) create(definitionID, more string) *definitions.View {
	s.t.Helper()
	v, err := s.Create(s.t.Context(), modelstest.Workspace, written(s.t, definitionID, definitionID, more, false))
	require.NoError(s.t, err)
	return v
}

func (s *shelf) update(definitionID, name, more string, ifVersion int) (*definitions.View, error) {
	s.t.Helper()
	return s.Update(context.Background(), modelstest.Workspace, written(s.t, definitionID, name, fmt.Sprintf(`%s,"ifVersion":%d`, more, ifVersion), true))
}

func (s *shelf) exec(sql string, args ...any) {
	s.t.Helper()
	_, err := s.db.Pool.Exec(s.t.Context(), sql, args...)
	require.NoError(s.t, err)
}

// receiver returns what an execution of the definition would be told to call.
func (s *shelf) receiver(definitionID string) (url, plain string) {
	s.t.Helper()
	var version string
	var address *string
	var sealed []byte
	require.NoError(s.t, s.db.Pool.QueryRow(s.t.Context(), `SELECT v.id, v.receiver_url, v.receiver_secret FROM definitions d
JOIN definition_versions v ON v.id = d.version_id WHERE d.workspace_id = $1 AND d.definition_id = $2`, modelstest.Workspace, definitionID).
		Scan(&version, &address, &sealed))
	if address == nil {
		return "", ""
	}
	opened, err := s.box.Open(secret.Binding{Table: "definition_versions", Column: "receiver_secret", Row: version, Workspace: modelstest.Workspace}, sealed)
	require.NoError(s.t, err)
	return *address, string(opened)
}

func TestADefinitionComesBackAsItWasSent(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	custom := `{ "n": 9007199254740993, "x": 1.50e0, "html": "<&>", "odd": "\u0000\ud800", "z":{"b":1,  "a":2} }`
	made := s.create("first", `,"description":"what","tags":["x","y"],"custom":`+custom+`,"scope":{"level":"document","organizationId":"o","documentId":"d"}`)
	require.Equal(t, 1, made.Version)
	read, err := s.Get(t.Context(), modelstest.Workspace, "first")
	require.NoError(t, err)
	require.Equal(t, made, read, "the answer of create is what get reads")
	require.Equal(t, custom, string(read.Custom))
	require.Equal(t, `[ ]`, string(read.Edges))
	require.Equal(t, "what", *read.Description)
	require.Equal(t, "o", *read.Scope.OrganizationID)
	require.JSONEq(t, `{"forwardEdges":[],"loops":[]}`, string(read.Compiled))
}

func TestFiftyCreatesOfOneIDMakeOne(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	made := 0
	for _, err := range modelstest.AtOnce(50, func(int) error {
		_, err := s.Create(context.Background(), modelstest.Workspace, written(t, "one", "one", "", false))
		return err
	}) {
		if err == nil {
			made++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusAlreadyExists, "definition-exists")
	}
	require.Equal(t, 1, made)
	_, err := s.Create(t.Context(), "ws_other", written(t, "one", "one", "", false))
	require.NoError(t, err, "another workspace has ids of its own")
}

func TestTheLastPlaceIsTakenOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.exec(`INSERT INTO definitions (workspace_id, definition_id, status, version, version_id, created_at, updated_at)
SELECT $1, 'd' || n, 'active', 1, 'v' || n, now(), now() FROM generate_series(1, $2) n`, modelstest.Workspace, definitions.MaxActive-1)
	made := 0
	for _, err := range modelstest.AtOnce(10, func(i int) error {
		_, err := s.Create(context.Background(), modelstest.Workspace, written(t, fmt.Sprintf("more-%d", i), "m", "", false))
		return err
	}) {
		if err == nil {
			made++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "definition-quota")
	}
	require.Equal(t, 1, made)
	_, err := s.Create(t.Context(), modelstest.Workspace, written(t, "d11", "again", "", false))
	modelstest.RequireRefusal(t, err, fault.StatusAlreadyExists, "definition-exists")
	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "d1"}))
	s.create("after-a-delete", "")
}

func TestOneOfTwoUpdatesWins(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", "")
	won := 0
	for _, err := range modelstest.AtOnce(20, func(i int) error {
		_, err := s.update("one", fmt.Sprintf("name %d", i), "", 1)
		return err
	}) {
		if err == nil {
			won++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusFailedPrecondition, "version-mismatch")
		require.Contains(t, err.Error(), "the current version is 2, not 1")
	}
	require.Equal(t, 1, won)
	page, err := s.Versions(t.Context(), modelstest.Workspace, "one", nil, 10)
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	_, err = s.update("unknown", "n", "", 1)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
}

func TestAnUpdateReplacesAllButTheReceiver(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	created := s.create("one", `,"tags":["a"],"description":"x","scope":{"level":"organization","organizationId":"o"},`+
		`"webhookConfig":{"url":"https://hooks.example.com/a","secret":"0123456789abcdef","eventTypes":["execution.completed"]}`)
	second, err := s.update("one", "second", "", 1)
	require.NoError(t, err)
	require.Equal(t, "apiKey", second.Scope.Level)
	require.Nil(t, second.Tags)
	require.Nil(t, second.Description)
	require.Equal(t, created.CreatedAt, second.CreatedAt)
	require.GreaterOrEqual(t, second.UpdatedAt, created.UpdatedAt)
	url, plain := s.receiver("one")
	require.Equal(t, []string{"https://hooks.example.com/a", "0123456789abcdef"}, []string{url, plain})

	_, err = s.update("one", "third", `,"webhookConfig":{"url":"https://hooks.example.com/b","secret":"fedcba9876543210"}`, 2)
	require.NoError(t, err)
	url, plain = s.receiver("one")
	require.Equal(t, []string{"https://hooks.example.com/b", "fedcba9876543210"}, []string{url, plain})
	_, err = s.update("one", "late", `,"webhookConfig":null`, 2)
	modelstest.RequireRefusal(t, err, fault.StatusFailedPrecondition, "version-mismatch")
	url, _ = s.receiver("one")
	require.Equal(t, "https://hooks.example.com/b", url, "a failed update changes nothing")
	_, err = s.update("one", "fourth", `,"webhookConfig":null`, 3)
	require.NoError(t, err)
	url, _ = s.receiver("one")
	require.Empty(t, url)
}

func TestAVersionIsAlwaysTheSame(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	first := s.create("one", `,"custom":{"v":1}`)
	for i := range 3 {
		_, err := s.update("one", fmt.Sprintf("name %d", i+2), "", i+1)
		require.NoError(t, err)
	}
	read, err := s.Version(t.Context(), modelstest.Workspace, "one", 1)
	require.NoError(t, err)
	require.Equal(t, first, read)
	page, err := s.Versions(t.Context(), modelstest.Workspace, "one", nil, 3)
	require.NoError(t, err)
	require.Equal(t, new(2), page.Next)
	require.Equal(t, []int{4, 3, 2}, []int{page.Items[0].Version, page.Items[1].Version, page.Items[2].Version})
	require.Equal(t, definitions.VersionView{Version: 4, Name: "name 4", CreatedAt: page.Items[0].CreatedAt, NodeCount: 1}, page.Items[0])
	rest, err := s.Versions(t.Context(), modelstest.Workspace, "one", new(2), 3)
	require.NoError(t, err)
	require.Len(t, rest.Items, 1)
	require.Nil(t, rest.Next)
	for _, missing := range []int{0, 5, -1} {
		_, err = s.Version(t.Context(), modelstest.Workspace, "one", missing)
		modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
	}
	none, err := s.Versions(t.Context(), modelstest.Workspace, "one", new(1), 3)
	require.NoError(t, err)
	require.Empty(t, none.Items)
}

// TestADispatchPinsOneOfTwoVersionsWhole lets dispatches and updates of one
// definition race: each execution has number and name of the same version.
func TestADispatchPinsOneOfTwoVersionsWhole(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", "")
	const updates, callers = 25, 6
	errs := modelstest.AtOnce(callers+1, func(i int) error {
		for round := range updates {
			var err error
			if i == 0 {
				_, err = s.update("one", fmt.Sprintf("version %d", round+2), "", round+1)
			} else {
				_, err = s.executions.Dispatch(context.Background(), modelstest.Workspace,
					execution.Dispatch{DefinitionID: "one", KeySpace: contract.KeysOfCallers})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	var all, whole int
	require.NoError(t, s.db.Pool.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE v.version = e.definition_version
AND v.name = e.definition_name) FROM executions e JOIN definition_versions v ON v.id = e.version_ref`).Scan(&all, &whole))
	require.Equal(t, updates*callers, all)
	require.Equal(t, all, whole)
}

// TestDeleteAgainstDispatch: either the execution exists and the delete was
// refused, or the delete won and the dispatch was.
func TestDeleteAgainstDispatch(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	outcomes := map[string]int{}
	for round := range 40 {
		id, purge := fmt.Sprintf("race-%d", round), round%2 == 1
		s.create(id, "")
		errs := modelstest.AtOnce(2, func(i int) error {
			if i == 0 {
				return s.Delete(context.Background(), modelstest.Workspace, definitions.Deletion{DefinitionID: id, Purge: purge})
			}
			_, err := s.executions.Dispatch(context.Background(), modelstest.Workspace, execution.Dispatch{DefinitionID: id, KeySpace: contract.KeysOfCallers})
			return err
		})
		refused := map[bool]fault.Status{false: fault.StatusFailedPrecondition, true: fault.StatusNotFound}[purge]
		switch errs[0] {
		case nil:
			require.True(t, fault.Is(errs[1], refused), "%v", errs[1])
			outcomes["deleted"]++
		default:
			modelstest.RequireRefusal(t, errs[0], fault.StatusFailedPrecondition, "live-executions")
			require.NoError(t, errs[1])
			outcomes["dispatched"]++
		}
	}
	require.Equal(t, 40, outcomes["deleted"]+outcomes["dispatched"])
}

func TestDeleteAndItsAftermath(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.create("one", "")
	done, err := s.executions.Dispatch(t.Context(), modelstest.Workspace, execution.Dispatch{DefinitionID: "one", KeySpace: contract.KeysOfCallers, Key: "k"})
	require.NoError(t, err)
	for _, purge := range []bool{false, true} {
		modelstest.RequireRefusal(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one", Purge: purge}), fault.StatusFailedPrecondition, "live-executions")
	}
	_, err = s.executions.Cancel(t.Context(), modelstest.Workspace, done.ExecutionID, "", "u", "over")
	require.NoError(t, err)
	_, err = s.update("one", "two", "", 1)
	require.NoError(t, err)
	modelstest.RequireRefusal(t, s.Delete(t.Context(), "ws_other", definitions.Deletion{DefinitionID: "one", Purge: true}), fault.StatusNotFound, "")
	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one"}))

	_, err = s.Get(t.Context(), modelstest.Workspace, "one")
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
	_, err = s.Version(t.Context(), modelstest.Workspace, "one", 1)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
	_, err = s.Versions(t.Context(), modelstest.Workspace, "one", nil, 1)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
	_, err = s.update("one", "three", "", 2)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "")
	modelstest.RequireRefusal(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one"}), fault.StatusNotFound, "")

	again := s.create("one", "")
	require.Equal(t, 1, again.Version, "an id that was freed starts again")
	page, err := s.Versions(t.Context(), modelstest.Workspace, "one", nil, 10)
	require.NoError(t, err)
	require.Len(t, page.Items, 1, "only the new line of versions is there")
	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one"}))
	require.NoError(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one", Purge: true}), "a deleted one can still be purged")
	modelstest.RequireRefusal(t, s.Delete(t.Context(), modelstest.Workspace, definitions.Deletion{DefinitionID: "one", Purge: true}), fault.StatusNotFound, "")

	replay, err := s.executions.Dispatch(t.Context(), modelstest.Workspace, execution.Dispatch{DefinitionID: "one", KeySpace: contract.KeysOfCallers, Key: "k"})
	require.NoError(t, err)
	require.Equal(t, done.ExecutionID, replay.ExecutionID)
	read, err := view.New(s.db).Get(t.Context(), modelstest.Workspace, done.ExecutionID, view.Wanted{})
	require.NoError(t, err)
	require.Equal(t, "cancelled", read.Status, "executions of a purged definition stay readable")
	var left int
	require.NoError(t, s.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM definition_versions`).Scan(&left))
	require.Zero(t, left)
}
