package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// tab is a page of a browser of its own, in which somebody is logged in.
type tab struct {
	env *kit.Env
	ctx context.Context
	// base is the address of the console.
	base string
	// presses counts, so that each has a name.
	presses int

	mu      sync.Mutex
	said    []string
	foreign []string
}

// openTab starts a browser at the console of the shared stack and logs in with a workspace of the
// test's own.
func openTab(t *testing.T) *tab {
	t.Helper()
	env := kit.NewWorkspace(t)
	kit.TakeSlot(t, kit.IsolatedSlots)
	b := openTabAt(env, kit.ConsoleURL())
	b.logIn()
	return b
}

// openTabAt starts a browser, which ends with the test and leaves nothing behind.
func openTabAt(env *kit.Env, base string) *tab {
	t := env.T
	t.Helper()
	own, err := os.MkdirTemp("", "tab") // a test's own has a name that is too long for Chromium's sockets
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(own)) })
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Env("TMPDIR="+own))
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(cancel)
	ctx, _ = chromedp.NewContext(ctx)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // waits until the browser has gone
	b := &tab{env: env, ctx: ctx, base: base}
	b.do(chromedp.EmulateViewport(1360, 900))
	_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	require.NoError(t, err)
	b.listen()
	b.watch()
	b.agree()
	t.Cleanup(b.explain)
	t.Cleanup(func() { require.Empty(t, b.messages(), "messages in the console of the browser") })
	t.Cleanup(func() { require.Empty(t, b.strayed(), "requests beyond the listener") })
	return b
}

// logIn types the credentials of the workspace's key.
func (b *tab) logIn() {
	b.env.T.Helper()
	b.do(
		chromedp.Navigate(b.base+"/login"),
		chromedp.SendKeys(chromedp.CSS("#key"), b.env.Workspace.APIKey),
		chromedp.SendKeys(chromedp.CSS("#keyToken"), b.env.Workspace.AuthToken+"\r"),
		chromedp.WaitVisible(chromedp.CSS("nav")),
	)
}

// actAs says in whose name the reader decides, and waits until the session knows it.
func (b *tab) actAs(reviewer string) {
	b.env.T.Helper()
	b.fill("Acting as", reviewer)
	b.press("Set")
	b.await("the reader acts as "+reviewer, func() bool {
		known, _ := b.ask(`document.getElementById("acting").defaultValue`) // asked again
		return known == reviewer
	})
}

// agree says yes to every question of a page.
func (b *tab) agree() {
	asked := chromedp.Events(b.ctx, page.JavascriptDialogOpening)
	go func() {
		for _, err := range asked {
			if err != nil {
				return
			}
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}) // the page has gone
		}
	}()
}

// listen keeps what the console of the browser is told.
func (b *tab) listen() {
	told := chromedp.Console(b.ctx)
	go func() {
		for message, err := range told {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.said = append(b.said, string(message.Type)+": "+message.Text)
			b.mu.Unlock()
		}
	}()
}

// watch keeps the addresses of requests to anybody but the console.
func (b *tab) watch() {
	sent := chromedp.Events(b.ctx, network.RequestWillBeSent)
	_, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	require.NoError(b.env.T, err)
	go func() {
		for event, err := range sent {
			if err != nil {
				return
			}
			if address := event.Request.URL; !strings.HasPrefix(address, b.base+"/") {
				b.mu.Lock()
				b.foreign = append(b.foreign, address)
				b.mu.Unlock()
			}
		}
	}()
}

// strayed are the requests to anybody but the console.
func (b *tab) strayed() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.foreign
}

func (b *tab) messages() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.said
}

// do carries out steps, each within the patience of a test.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.env.T.Helper()
	// The first call starts the browser, which lives as long as its context.
	require.NoError(b.env.T, chromedp.Do(b.ctx, chromedp.Sleep(0)))
	for _, step := range steps {
		ctx, cancel := context.WithTimeout(b.ctx, kit.Patience)
		err := chromedp.Do(ctx, step)
		cancel()
		require.NoError(b.env.T, err)
	}
}

// open shows a page.
func (b *tab) open(path string) {
	b.env.T.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// run evaluates a script, which may return a promise, and returns its text.
func (b *tab) run(script string) string {
	b.env.T.Helper()
	text, err := b.ask(script)
	require.NoError(b.env.T, err, script)
	return text
}

// ask is run for a page that may be on its way to another.
func (b *tab) ask(script string) (string, error) {
	ctx, cancel := context.WithTimeout(b.ctx, kit.Patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
}

// text is what the page says; nothing while it is on its way to another.
func (b *tab) text() string {
	text, _ := b.ask(`document.body?.innerText ?? ""`) // asked again by whoever waits
	return text
}

// await waits until something holds of the page.
func (b *tab) await(what string, holds func() bool) {
	b.env.T.Helper()
	kit.RequireEventually(b.env.T, what, holds)
}

// explain leaves in the log of a test that failed where the page is and what it says.
func (b *tab) explain() {
	if b.env.T.Failed() {
		address, _ := b.ask("location.href") // on its way to another
		b.env.T.Logf("%s says: %s", address, b.text())
	}
}

// shows waits until the page says the words.
func (b *tab) shows(words ...string) {
	b.env.T.Helper()
	for _, each := range words {
		b.await("the page says "+each, func() bool { return strings.Contains(b.text(), each) })
	}
}

// hides waits until the page no longer says the words.
func (b *tab) hides(words string) {
	b.env.T.Helper()
	b.await("the page no longer says "+words, func() bool { text := b.text(); return text != "" && !strings.Contains(text, words) })
}

// prefer sets whether the reader's system is light or dark, and how wide the page is. Nothing moves, so
// that the page is at once as it stays.
func (b *tab) prefer(scheme string, width int64) {
	b.env.T.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(b.env.T, err)
	b.do(chromedp.EmulateViewport(width, 900))
}

// axe is axe-core's program.
func axe(t *testing.T) string {
	t.Helper()
	program, err := os.ReadFile(os.Getenv("REDLINE_TEST_AXE"))
	require.NoError(t, err, "REDLINE_TEST_AXE names axe-core's program; make test-console brings it")
	return string(program)
}

// faults is what axe-core finds wrong with the page, one a line.
func (b *tab) faults(program string) string {
	b.env.T.Helper()
	b.run(program + "; 'loaded'")
	return b.run(`axe.run().then(found => found.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html)).join("\n"))`)
}

// blind is what of the page cannot be reached or seen by keyboard, one a line.
func (b *tab) blind() string {
	b.env.T.Helper()
	return b.run(`(() => {
  const found = [];
  for (const e of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")) {
    if (!e.checkVisibility() || e.disabled) continue;
    e.focus({preventScroll: true, focusVisible: true});
    const seen = getComputedStyle(e);
    if (document.activeElement !== e || e.tabIndex < 0) found.push("takes no focus: " + e.outerHTML.slice(0, 200));
    else if (seen.outlineStyle !== "solid" || parseFloat(seen.outlineWidth) < 2) found.push("shows no focus: " + e.outerHTML.slice(0, 200));
  }
  document.activeElement.blur();
  return found.join("\n");
})()`)
}

// uncopied are the ids that the page says and has no button to copy, one a line: those of the service by
// their form, and those of the caller that are given. What is a text of somebody, or of a message, is no id.
func (b *tab) uncopied(callers []string) string {
	b.env.T.Helper()
	known, err := json.Marshal(callers)
	require.NoError(b.env.T, err)
	return b.run(fmt.Sprintf(`(() => {
  const callers = %s, ids = new Set(), copied = new Set([...document.querySelectorAll("[data-copy]")].map(e => e.dataset.copy));
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.parentElement.closest("pre, textarea, option, svg, .value, .said, .unseen, .message")) continue;
    for (const id of node.data.match(/\b(?:exec|step|evt|ep|msg|src|jdg|pat|job|ak|ws|corr|req)_\w{6,}/g) ?? []) ids.add(id);
    if (callers.includes(node.data.trim())) ids.add(node.data.trim());
  }
  return [...ids].filter(id => !copied.has(id)).join("\n");
})()`, known))
}
