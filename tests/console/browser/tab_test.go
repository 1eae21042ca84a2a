package browser

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// tab is a page of a browser of its own, in which somebody is logged in.
type tab struct {
	env *kit.Env
	ctx context.Context

	mu   sync.Mutex
	said []string
}

// openTab starts a browser and logs in by typing.
func openTab(t *testing.T) *tab {
	t.Helper()
	env := kit.NewWorkspace(t)
	kit.TakeSlot(t, kit.IsolatedSlots)
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{env: env, ctx: ctx}
	b.do(chromedp.EmulateViewport(1360, 900))
	b.listen()
	b.do(
		chromedp.Navigate(kit.ConsoleURL()+"/login"),
		chromedp.SendKeys(chromedp.CSS("#key"), env.Workspace.APIKey),
		chromedp.SendKeys(chromedp.CSS("#keyToken"), env.Workspace.AuthToken+"\r"),
		chromedp.WaitVisible(chromedp.CSS("nav")),
	)
	t.Cleanup(func() { require.Empty(t, b.messages(), "messages in the console of the browser") })
	return b
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
	b.do(chromedp.Navigate(kit.ConsoleURL() + path))
}

// run evaluates a script, which may return a promise, and returns its text.
func (b *tab) run(script string) string {
	b.env.T.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, kit.Patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
	require.NoError(b.env.T, err, script)
	return text
}

// text is what the page says.
func (b *tab) text() string { return b.run(`document.body?.innerText ?? ""`) }

// shows waits until the page says the words.
func (b *tab) shows(words string) {
	b.env.T.Helper()
	kit.RequireEventually(b.env.T, "the page says "+words, func() bool { return strings.Contains(b.text(), words) })
}

// prefer sets whether the reader's system is light or dark, and how wide the page is.
func (b *tab) prefer(scheme string, width int64) {
	b.env.T.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
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

// foreign is what the page fetched from elsewhere.
func (b *tab) foreign() string {
	b.env.T.Helper()
	return b.run(`performance.getEntriesByType("resource").map(r => r.name).filter(name => !name.startsWith(location.origin + "/")).join("\n")`)
}
