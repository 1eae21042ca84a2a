package api_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	jobs "github.com/redline-svc/redline/activities/job"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/quota"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
)

// jobWorker works on jobs in the place of a worker.
type jobWorker struct {
	*kit.Env

	db       *models.DB
	stores   *models.Stores
	handlers map[string]jobs.Handler
}

// newJobWorker makes one for a workspace.
func newJobWorker(env *kit.Env) *jobWorker {
	env.T.Helper()
	return newJobWorkerAt(env, env.Database, nil)
}

// newJobWorkerAt makes one that reaches the rows at an address, where workspaces may keep so much.
func newJobWorkerAt(env *kit.Env, database string, kept quota.Limits) *jobWorker {
	env.T.Helper()
	db, err := models.Open(env.Ctx, database, models.PoolOptions{Conns: 4})
	require.NoError(env.T, err)
	env.T.Cleanup(db.Close)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(env.T, err)
	files, err := blob.Open(blob.Options{Dir: suite.files})
	require.NoError(env.T, err)
	s := models.NewStores(db, box, models.Options{Storage: kept})
	return &jobWorker{env, db, s, map[string]jobs.Handler{
		job.Export: jobs.Export(s.Persons, s.Quotas, s.Knowledge, files), job.Erasure: jobs.Rested(jobs.Erase(s.Persons, unheard{})), job.Notification: jobs.Notify(s.Notifications),
	}}
}

// unheard plays Temporal, which has heard of nothing.
type unheard struct{}

func (unheard) Forget(context.Context, string, string) error { return nil }

// step does one portion of a job and reports whether there is more to do.
func (d *jobWorker) step(id string) (more bool) {
	d.T.Helper()
	j, err := d.stores.Jobs.Begin(d.Ctx, id)
	require.NoError(d.T, err)
	if j == nil {
		return false
	}
	_, more, err = d.handlers[j.Kind](d.Ctx, j)
	require.NoError(d.T, err)
	if !more {
		_, err = d.stores.Jobs.Complete(d.Ctx, id)
		require.NoError(d.T, err)
	}
	return more
}

// work does a job to its end.
func (d *jobWorker) work(id string) {
	d.T.Helper()
	for d.step(id) {
	}
}

// mortal is a worker that dies.
type mortal struct {
	*jobWorker

	rows *proxy.Database
}

func newMortal(env *kit.Env) *mortal {
	env.T.Helper()
	address, err := url.Parse(env.Database)
	require.NoError(env.T, err)
	rows, err := proxy.NewDatabase(address.Host)
	require.NoError(env.T, err)
	env.T.Cleanup(rows.Close)
	address.Host = rows.Addr()
	return &mortal{newJobWorkerAt(env, address.String(), nil), rows}
}

// dies does a portion of a job that has not ended, and dies as it commits what it says: before that, or afterwards.
func (m *mortal) dies(id, says string, before bool) {
	m.T.Helper()
	hold := m.rows.HoldCommitReply
	if before {
		hold = m.rows.HoldCommit
	}
	held := hold(proxy.Says(says))
	died := make(chan error, 1)
	go func() {
		j, err := m.stores.Jobs.Begin(m.Ctx, id)
		if err == nil {
			_, _, err = m.handlers[j.Kind](m.Ctx, j)
		}
		died <- err
	}()
	kit.RequireReached(m.T, says, held.Reached())
	held.Drop()
	require.Error(m.T, <-died)
}

func exporting(env *kit.Env, user string) string {
	env.T.Helper()
	var accepted redline.ExportAcceptedResult
	env.Call(client.ExportUserData, kit.InAcme(map[string]any{"userId": user}), &accepted)
	require.Equal(env.T, redline.ExportAcceptedStatusPending, accepted.Data.Status)
	return accepted.Data.JobID
}

func exported(env *kit.Env, id string) redline.Export {
	env.T.Helper()
	var status redline.ExportResult
	env.Call(client.ExportStatus, map[string]any{"jobId": id}, &status)
	return status.Data
}

// fetchArchive downloads an export and returns its files.
func fetchArchive(t *testing.T, url string) map[string]string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer reply.Body.Close()
	require.Equal(t, http.StatusOK, reply.StatusCode)
	content, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range archive.File {
		opened, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(opened)
		require.NoError(t, err)
		files[f.Name] = string(text)
	}
	return files
}

func TestUsersDataExport_1and2and5_OneInstantOfWhatThePersonMaySee(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	kit.ThreeNotices(env)
	kit.Annotate(env, kit.Made("d", kit.VisibleTo(kit.Annotated("hidden", kit.Wrote("ann", "Secret of {{bob}}")), "eve"),
		kit.Annotated("mine", kit.Wrote("bob", "My <words>"))))
	env.Call(client.AddUsers, kit.InAcme(map[string]any{"users": []any{map[string]any{"userId": "bob", "name": "Bob Baker"}}}), nil)
	id := exporting(env, "bob")
	require.Equal(t, id, exporting(env, "bob"), "again while it is open")
	require.Equal(t, redline.ExportStatusPending, exported(env, id).Status)
	d.work(id)
	done := exported(env, id)
	require.Equal(t, redline.ExportStatusCompleted, done.Status)
	files := fetchArchive(t, done.DownloadURL)
	require.Contains(t, files["README.txt"], `what is kept of Bob Baker (bob) in the organization acme`)
	require.Contains(t, files["profile.jsonl"], "Bob Baker")
	require.Contains(t, files["comments.jsonl"], "My <words>")
	require.NotContains(t, strings.Join([]string{files["comments.jsonl"], files["notifications.jsonl"]}, ""), "Secret")
	require.EqualValues(t, done.Counts.Comments, strings.Count(files["comments.jsonl"], "\n"))
	require.Equal(t, 3, strings.Count(files["notifications.jsonl"], "\n"))
	require.Equal(t, []int{3, 1}, []int{int(done.Counts.Notifications), int(done.Counts.Grants)})
	require.NotEqual(t, id, exporting(env, "bob"), "the other one has ended")
}

func TestUsersDataExport_ItsReadmeNamesAllThatIsInIt(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	who := kit.NewPerson()
	kit.TakesPart(env, who, "ann")
	id := exporting(env, who.ID)
	d.work(id)
	files := fetchArchive(t, exported(env, id).DownloadURL)
	readme := files["README.txt"]
	delete(files, "README.txt")
	require.Len(t, files, 6)
	for name, lines := range files {
		require.NotEmpty(t, lines, name)
		_, about, found := strings.Cut(readme, "\n"+name+": ")
		require.True(t, found, "%s is not named", name)
		about, _, _ = strings.Cut(about, "\n\n")
		for line := range strings.Lines(lines) {
			var item map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(line), &item))
			for key := range item {
				if name != "profile.jsonl" || key != "phone" { // what an organization notes has names of its own
					require.Regexp(t, `\b`+key+`\b`, about, name)
				}
			}
		}
	}
}

func TestUsersDataExport_3_WhoeverWritesItDies(t *testing.T) {
	env := newWorkspace(t)
	d, m := newJobWorker(env), newMortal(env)
	kit.Annotate(env, kit.Made("d", kit.Annotated("mine", kit.Wrote("bob", "My words"))))
	for _, before := range []bool{true, false} {
		id := exporting(env, "bob")
		m.dies(id, "UPDATE exports SET open = false", before)
		require.Equal(t, before, exported(env, id).Status != "completed")
		d.work(id)
		require.Equal(t, redline.ExportStatusCompleted, exported(env, id).Status)
		require.Contains(t, fetchArchive(t, exported(env, id).DownloadURL)["comments.jsonl"], "My words")
	}
}

func TestUsersDataExport_4_UnknownUsersAndJobs(t *testing.T) {
	env := newWorkspace(t)
	other := kit.NewWorkspaceAt(t, handlerServer(t).URL)
	kit.Annotate(env, kit.Made("d", kit.Annotated("mine", kit.Wrote("bob", "My words"))))
	id := exporting(env, "bob")
	require.Equal(t, "job", kit.Details(other, client.ExportStatus, map[string]any{"jobId": id})["resource"])
	for _, nobody := range []map[string]any{{"userId": "nobody"}, {"organizationId": "nowhere"}} {
		require.Equal(t, "user", kit.Details(env, client.ExportUserData, kit.With(kit.InAcme(map[string]any{"userId": "bob"}), nobody))["resource"])
	}
}

func TestUsersDataExport_ASuspendedWorkspaceGivesNoFileOut(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	kit.Annotate(env, kit.Made("d", kit.Annotated("mine", kit.Wrote("bob", "My words"))))
	id := exporting(env, "bob")
	d.work(id)
	address := exported(env, id).DownloadURL
	operate(env).Suspend(env.Workspace.ID)
	require.EqualValues(t, "PERMISSION_DENIED", kit.Ask(t, http.MethodGet, address, "", nil).Failure().Status)
	operate(env).Resume(env.Workspace.ID)
	require.Equal(t, http.StatusOK, kit.Ask(t, http.MethodGet, address, "", nil).HTTP)
}

func TestUsersDataExport_TheFileGoesAfterADay(t *testing.T) {
	env := newWorkspace(t)
	d := newJobWorker(env)
	kit.Annotate(env, kit.Made("d", kit.Annotated("mine", kit.Wrote("bob", "My words"))))
	id := exporting(env, "bob")
	d.work(id)
	_, err := d.db.Pool.Exec(env.Ctx, `UPDATE exports SET ready_at = ready_at - interval '25 hours' WHERE id = $1`, id)
	require.NoError(t, err)
	_, err = d.stores.Persons.ExpireExports(env.Ctx, 10)
	require.NoError(t, err)
	nobodys, err := d.stores.Knowledge.UnclaimedFiles(env.Ctx, 1_000_000)
	require.NoError(t, err)
	require.Contains(t, nobodys, knowledge.UnclaimedFile{WorkspaceID: env.Workspace.ID, BlobKey: "exports/" + env.Workspace.ID + "/" + id + ".zip"})
	require.Empty(t, exported(env, id).DownloadURL)
}

// filesKept is how many bytes of files a workspace keeps.
func filesKept(env *kit.Env) int64 {
	env.T.Helper()
	var usage redline.UsageResult
	env.Call(client.GetUsage, map[string]any{}, &usage)
	require.Equal(env.T, redline.UsageItemsKindFiles, usage.Data.Items[0].Kind)
	return usage.Data.Items[0].UsedBytes
}

// Exports count as files: open ones as much as keeps a workspace from having any number of them, then as their file.
func TestUsersDataExport_TakesPartInTheQuotaOfFiles(t *testing.T) {
	t.Parallel()
	_ = handlerServer(t) // its files are those of all workers
	s := handlerServer(t, "REDLINE_QUOTA_FILES_FREE=1500000")
	env := kit.NewWorkspaceAt(t, s.URL)
	d := newJobWorkerAt(env, s.Database, quota.Limits{quota.Files: {Free: 1_500_000}})
	for _, user := range []string{"ann", "bob", "eve"} {
		kit.Annotate(env, kit.Made("d", kit.Annotated("of-"+user, kit.Wrote(user, "My words"))))
	}
	ann, bob := exporting(env, "ann"), exporting(env, "bob")
	kit.RequireEventually(t, "a third one is refused", func() bool {
		accepted, err := client.Call[redline.ExportAcceptedResult](env.Ctx, env.Keyed, client.ExportUserData, kit.InAcme(map[string]any{"userId": "eve"}))
		if err == nil {
			d.work(accepted.Data.JobID) // nobody had looked yet
		}
		return err != nil && redline.AsError(err).Reason == "storage-quota"
	})
	require.Equal(t, ann, exporting(env, "ann"), "the open one is not a further one")
	d.work(ann)
	require.Equal(t, redline.ExportStatusCompleted, exported(env, ann).Status)
	require.Less(t, filesKept(env), int64(1_100_000), "it counts as its file")
	d.work(bob)
	small := filesKept(env)
	require.Positive(t, small)
	eve := exporting(env, "eve")
	narrow := newJobWorkerAt(env, s.Database, quota.Limits{quota.Files: {Free: small + 100}})
	narrow.work(eve)
	failed := exported(env, eve)
	require.Equal(t, []string{"failed", "RESOURCE_EXHAUSTED", ""}, []string{string(failed.Status), failed.Error.Code, failed.DownloadURL})
	require.Equal(t, small, filesKept(env), "a file for which there is no room is not kept")
}
