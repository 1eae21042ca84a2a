package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// Times are in the zone of the reader, and ids are copied by a click.
func TestTimesAndIdsAreTheReaders(t *testing.T) {
	b := openTab(t)
	_, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
	require.NoError(t, err)
	kit.Dispatch(b.env, kit.SignOff(b.env)).WaitsAt("review")
	b.open("/executions")
	at, err := time.Parse(time.RFC3339, b.run(`document.querySelector("td time").dateTime`))
	require.NoError(t, err)
	tokyo := time.FixedZone("Asia/Tokyo", 9*60*60)
	require.Equal(t, at.In(tokyo).Format("Jan 2, 03:04:05 PM"), strings.ReplaceAll(b.run(`document.querySelector("td time").innerText`), "\u202f", " "))
	b.click("td .copy", "")
	b.await("the id is copied", func() bool { return b.count("td .copy.done") == 1 })
}

// A reviewer goes from one to the next, says why and decides without the mouse.
func TestTheInboxByKeyboard(t *testing.T) {
	b := openTab(t)
	definition := kit.SignOff(b.env)
	runs := map[string]*kit.Run{}
	for range 2 {
		run := kit.Dispatch(b.env, definition)
		run.WaitsAt("review")
		runs[run.ID] = run
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#acting"), "ann\r"), chromedp.WaitVisible(chromedp.CSS("h1")))
	b.open("/inbox")
	first := b.run(`document.querySelector("[name=executionId]").value`)
	b.do(chromedp.KeyEvent("j"))
	kit.RequireEventually(t, "the next one is shown, and takes keys", func() bool {
		seen := b.run(`document.readyState === "complete" ? document.querySelector("[name=executionId]")?.value ?? "" : ""`)
		return seen != "" && seen != first
	})
	second := b.run(`document.querySelector("[name=executionId]").value`)
	b.do(chromedp.KeyEvent("r"), chromedp.KeyEvent("said by keys"), chromedp.KeyEvent("\t"))
	require.Equal(t, "said by keys", b.run(`document.getElementById("reason").value`))
	b.do(chromedp.KeyEvent("\r"))
	b.shows("Approved as ann.")
	require.Contains(t, string(runs[second].Ends("completed").Steps[0].Output), "said by keys")
	require.Equal(t, redline.ExecutionStatusRunning, runs[first].View().Status)
}

// A page is entered past its menu and searched without the mouse.
func TestAPageByKeyboard(t *testing.T) {
	b := openTab(t)
	kit.Dispatch(b.env, kit.SignOff(b.env), kit.Key("article:7")).WaitsAt("review")
	b.open("/executions")
	b.shows("article:7")
	b.do(chromedp.KeyEvent("\t"))
	require.Equal(t, "Skip to the page", b.run(`document.activeElement.innerText`))
	b.do(chromedp.KeyEvent("\r"))
	b.await("the page has the focus", func() bool { return b.run(`document.activeElement.id`) == "main" })
	b.do(chromedp.KeyEvent("/"))
	b.await("the search has the focus", func() bool { return b.run(`document.activeElement.id`) == "f-key" })
	b.do(chromedp.KeyEvent("other"), chromedp.KeyEvent("\r"))
	b.shows("No execution is like this.")
}

// Faults are beside what is typed, and what is typed stays.
func TestTheEditorSaysWhatIsWrong(t *testing.T) {
	b := openTab(t)
	b.open("/definition/edit")
	b.shows("valid")
	b.do(chromedp.Focus(chromedp.CSS("#definition")), chromedp.KeyEvent("{"))
	b.shows("This is not JSON yet")
	b.do(chromedp.KeyEvent("\b"))
	b.shows("valid")
	b.do(chromedp.Click(chromedp.CSS(`button[formaction="/definition/mock"]`)))
	b.shows("Dispatched with mocks")
	require.True(t, strings.HasPrefix(b.run("location.pathname"), "/execution"))
}
