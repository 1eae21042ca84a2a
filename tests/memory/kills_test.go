package memory

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// bookWriters change books all the time, bookReaders search in them.
	bookWriters, bookReaders = 2, 1
	// stageIn is for how long a stage is waited for that may be over before it is seen.
	stageIn = 5 * time.Second
)

// purgePoints are statements of the work that removes what nobody may see any more: out of
// the index, and out of the rows.
var purgePoints = [][2]string{
	{"purge of the index", `DELETE FROM "index_copies"`},
	{"purge of chunks", "DELETE FROM chunks WHERE ctid"},
	{"purge of rules", "DELETE FROM rules WHERE ctid"},
	{"purge of the version", "DELETE FROM source_versions"},
}

// booksUnderFire is a set of fixtures on which everything that works on it dies in its turn.
type booksUnderFire struct {
	*kit.IsolatedStack
	*fixtures

	parts   *stack.Stack
	workers []*stack.Service
	rows    *pgxpool.Pool
	random  *rand.Rand
	// counts of kills by victim, and by victim and stage.
	victims, stages map[string]int
}

// TestSoak_KnowledgeSurvivesKillsInEveryStage brings sources in, replaces and deletes them and
// searches them all the time, while a worker, the converter of a file, the index, Postgres or
// Temporal is killed in a stage of an ingestion or of a purge. The servers are those of a
// stack of its own.
func TestSoak_KnowledgeSurvivesKillsInEveryStage(t *testing.T) {
	n := kit.Kills(t)
	parts := kit.OwnParts(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := &booksUnderFire{
		IsolatedStack: kit.NewIsolatedStackOn(t, parts), parts: parts, random: rand.New(rand.NewPCG(seed, seed)), victims: map[string]int{}, stages: map[string]int{},
	}
	f.open()
	var busy sync.WaitGroup
	rest := func() {
		f.over.Store(true)
		busy.Wait()
	}
	defer func() {
		rest()
		if t.Failed() {
			t.Logf("what Temporal says:\n%s", strings.Join(kit.TemporalClientAt(t, f.Stack, f.Namespace).Restless(f.IsolatedStack.DB()), "\n"))
		}
	}()
	for i := range bookWriters + bookReaders {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		if i < bookWriters {
			busy.Go(func() { f.write(random) })
		} else {
			busy.Go(func() { f.read(random) })
		}
	}
	for i := range n {
		f.strike([]string{"worker", "converter", "weaviate", "postgres", "temporal"}[i%5])
	}
	rest()
	f.nothingElse(f.settle())
	f.AtRest(kit.WhileAway...)
	t.Logf("%d kills %v; %d sources, of which %d are left, %d updates, %d deletes, %d searches, %d tried again; none lost, doubled or stuck",
		n, f.victims, len(f.books), len(f.kept()), f.updates.Load(), f.deletes.Load(), f.searches.Load(), f.retries.Load())
	for _, name := range slices.Sorted(maps.Keys(f.stages)) {
		t.Logf("%4d %s", f.stages[name], name)
	}
}

// open starts the processes.
func (f *booksUnderFire) open() {
	t := f.IsolatedStack.T
	t.Helper()
	f.fixtures = &fixtures{s: f.NewWorkspace(f.StartProcess("api")), line: f.lastLive}
	for range 2 {
		f.workers = append(f.workers, f.StartProcess("worker"))
	}
	var err error
	f.rows, err = pgxpool.New(t.Context(), f.DatabaseURL)
	require.NoError(t, err)
	t.Cleanup(f.rows.Close)
}

// strike kills something in some stage, and brings it back.
func (f *booksUnderFire) strike(victim string) {
	f.IsolatedStack.T.Helper()
	worker := f.workers[f.random.IntN(len(f.workers))]
	of := f.random.IntN(len(stagePoints) + len(purgePoints))
	var found string
	switch {
	case victim == "converter":
		found = "converting"
		f.killConverter()
	case of < len(stagePoints):
		found = f.untilIn(stagePoints[of][0])
		f.end(victim, worker)
	default:
		found = f.whilePurging(purgePoints[of-len(stagePoints)], victim, worker)
	}
	f.victims[victim]++
	f.stages[victim+" in "+found]++
	switch victim {
	case "converter":
	case "worker":
		f.Restart(worker)
	default:
		require.NoError(f.IsolatedStack.T, f.parts.Part(f.IsolatedStack.T.Context(), victim, "start"))
	}
}

func (f *booksUnderFire) end(victim string, worker *stack.Service) {
	t := f.IsolatedStack.T
	t.Helper()
	switch victim {
	case "worker":
		worker.Kill()
	case "postgres":
		require.NoError(t, f.parts.KillPostgres(t.Context()))
	default:
		require.NoError(t, f.parts.Part(t.Context(), victim, "kill"))
	}
}

// lastLive returns when a version became live last; nothing while Postgres is away.
func (f *booksUnderFire) lastLive() (last string) {
	if f.rows.QueryRow(f.IsolatedStack.T.Context(), `SELECT coalesce(max(completed_at)::text, '') FROM source_versions`).Scan(&last) != nil {
		return ""
	}
	return last
}

// killConverter brings tables in until a process is caught that converts one. A table waits
// for those before it.
func (f *booksUnderFire) killConverter() {
	f.IsolatedStack.T.Helper()
	require.True(f.IsolatedStack.T, kit.WhileMoving(kit.Patience, f.lastLive, func() bool {
		f.add(true)
		return kit.HoldsWithin(stageIn, func() bool {
			return slices.ContainsFunc(f.workers, func(w *stack.Service) bool { return w.KillChild("convert") })
		})
	}), "a converter is caught")
}

// untilIn brings something in and waits until it is in the stage, or beyond; which one is
// given.
func (f *booksUnderFire) untilIn(stage string) (found string) {
	f.IsolatedStack.T.Helper()
	b := f.add(f.random.IntN(2) == 0)
	kit.HoldsWithin(stageIn, func() bool {
		found = f.stageOf(b)
		return slices.Index(ingestStages, found) >= slices.Index(ingestStages, stage)
	})
	return found
}

func (f *booksUnderFire) stageOf(b *book) (stage string) {
	f.IsolatedStack.T.Helper()
	f.query(&stage, `SELECT stage FROM source_versions WHERE source_id = $1 ORDER BY version DESC LIMIT 1`, b.id)
	return stage
}

// query asks the rows for one value, again where Postgres has just come back.
func (f *booksUnderFire) query(into any, sql string, values ...any) {
	f.IsolatedStack.T.Helper()
	kit.RequireEventually(f.IsolatedStack.T, "the rows answer", func() bool {
		return f.rows.QueryRow(f.IsolatedStack.T.Context(), sql, values...).Scan(into) == nil
	})
}

// hurry has what was retired so long ago removed now.
func (f *booksUnderFire) hurry(sources []string) {
	f.IsolatedStack.T.Helper()
	var hurried int
	f.query(&hurried, `WITH old AS (UPDATE source_versions SET updated_at = updated_at - interval '1 minute'
WHERE state = 'retired' AND source_id = ANY ($1) RETURNING 1) SELECT count(*) FROM old`, sources)
}

// hurryFiles has files removed now that were written by requests which Postgres did not live
// to commit: who wrote them noted them first, and an hour is how long a request may take.
func (f *booksUnderFire) hurryFiles() {
	f.IsolatedStack.T.Helper()
	var hurried int
	f.query(&hurried, `WITH old AS (UPDATE unclaimed_files SET since = since - interval '1 hour' RETURNING 1) SELECT count(*) FROM old`)
}

// whilePurging deletes a book that nobody works on, has a worker come that removes leftovers at once, and
// kills the victim while that sends the statement.
func (f *booksUnderFire) whilePurging(point [2]string, victim string, remover *stack.Service) string {
	f.IsolatedStack.T.Helper()
	b := f.add(false)
	require.True(f.IsolatedStack.T, f.finish(b))
	f.drop(b)
	remover.Kill()
	held := f.Rows.HoldRequest(proxy.Says(point[1]))
	defer held.Drop()
	f.hurry([]string{b.id})
	f.Restart(remover)
	found := point[0]
	select {
	case <-held.Reached():
	case <-time.After(stageIn): // the other worker was faster
		found = "purge by the other worker"
	}
	f.end(victim, remover)
	return found
}

// nothingElse waits until what was replaced and deleted is gone, and proves that rows, index
// and files hold what was kept, and each of it once.
func (f *booksUnderFire) nothingElse(chunks, rules int) {
	t := f.IsolatedStack.T
	t.Helper()
	var kept, all []string
	for _, b := range f.books {
		if all = append(all, b.id); !b.going {
			kept = append(kept, b.id)
		}
	}
	f.hurry(all)
	f.hurryFiles()
	var left string
	want := fmt.Sprint([]int{len(kept), len(kept), chunks, rules, 0, 0})
	defer func() {
		t.Logf("sources, versions, chunks, rules, vectors of no text, files of no row: %s of %s", left, want)
	}()
	require.True(t, kit.WhileMoving(kit.SourcesGone, func() string { return left }, func() bool {
		f.query(&left, `SELECT format('[%s %s %s %s %s %s]', (SELECT count(*) FROM sources), (SELECT count(*) FROM source_versions),
(SELECT count(*) FROM chunks), (SELECT count(*) FROM rules), (SELECT count(*) FROM vectors v WHERE NOT EXISTS
(SELECT FROM chunks r WHERE r.text_hash = v.text_hash) AND NOT EXISTS (SELECT FROM rules r WHERE r.text_hash = v.text_hash)),
(SELECT count(*) FROM unclaimed_files))`)
		return left == want
	}), "only what was kept is left")
	report, err := f.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: len(kept), Items: chunks + rules}, report)
	f.onlyFilesOf(kept)
}

// onlyFilesOf proves that each source has a version's files and no others are there.
func (f *booksUnderFire) onlyFilesOf(kept []string) {
	t := f.IsolatedStack.T
	t.Helper()
	versions := map[string]map[string]bool{}
	folder := filepath.Join(f.parts.Env["REDLINE_BLOB_DIR"], "sources", f.s.Workspace.ID)
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			source, file, _ := strings.Cut(strings.TrimPrefix(path, folder+"/"), "/")
			if versions[source] == nil {
				versions[source] = map[string]bool{}
			}
			versions[source][strings.SplitN(file, "/", 2)[0]] = true
		}
		return err
	}))
	require.ElementsMatch(t, kept, slices.Collect(maps.Keys(versions)))
	for source, found := range versions {
		require.Len(t, found, 1, "versions of %s with files: %v", source, found)
	}
}
