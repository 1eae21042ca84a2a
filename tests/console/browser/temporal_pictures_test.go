package browser

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// TestPictures_OfTemporal writes what an operator sees of an execution in Temporal's own pages: how
// it is found, and its history, which can be downloaded there.
func TestPictures_OfTemporal(t *testing.T) {
	folder := os.Getenv("REDLINE_PICTURES")
	require.NotEmpty(t, folder, "REDLINE_PICTURES names the folder; make screenshots does")
	env := demo(t)
	run := kit.Dispatch(env, kit.SignOff(env))
	run.WaitsAt("review")
	query := `RedlineExecutionId = "` + run.ID + `"`
	temporal := kit.TemporalClientAt(t, kit.Shared, kit.Shared.Env["REDLINE_TEMPORAL_NAMESPACE"])
	kit.RequireEventually(t, "Temporal lists it", func() bool { return len(temporal.Search(query)) == 1 })
	of := temporal.Search(query)[0].GetExecution()

	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{env: env, ctx: ctx}
	b.prefer("light", 1280)
	list := kit.Shared.Env["REDLINE_TEMPORAL_UI_URL"] + "/namespaces/" + temporal.Namespace + "/workflows"
	b.do(chromedp.Navigate(list + "?query=" + url.QueryEscape(query)))
	b.shows(of.GetWorkflowId())
	b.take(filepath.Join(folder, "temporal-find.png"))
	b.do(chromedp.Navigate(list + "/" + url.PathEscape(of.GetWorkflowId()) + "/" + of.GetRunId() + "/history"))
	b.shows("Workflow Execution Started")
	b.take(filepath.Join(folder, "temporal-history.png"))
}
