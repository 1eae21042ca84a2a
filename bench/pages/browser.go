package pages

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/redline-svc/redline/bench/measure"
)

// painted reads when a page first had something on it, in milliseconds since it was asked for.
const painted = `new Promise(done => {
  const seen = list => list.find(each => each.name === "first-contentful-paint");
  const found = seen(performance.getEntriesByType("paint"));
  if (found) return done(found.startTime);
  new PerformanceObserver(list => { if (seen(list.getEntries())) done(seen(list.getEntries()).startTime); }).observe({type: "paint", buffered: true});
})`

// browser is a page of headless Chromium, logged in.
type browser struct {
	ctx  context.Context //nolint:containedctx // it is the page's
	base string
}

// open starts a browser and logs in; end stops it.
func (s Side) open(ctx context.Context) (b *browser, end func(), err error) {
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	ctx, _ = chromedp.NewContext(ctx)
	end = func() {
		_ = chromedp.Cancel(ctx) // waits until it has gone
		stop()
	}
	err = chromedp.Do(ctx,
		chromedp.EmulateViewport(1360, 900),
		chromedp.Navigate(s.Console+"/login"),
		chromedp.SendKeys(chromedp.CSS("#key"), s.Workspace.APIKey),
		chromedp.SendKeys(chromedp.CSS("#keyToken"), s.Workspace.AuthToken+"\r"),
		chromedp.WaitVisible(chromedp.CSS("nav")),
	)
	if err != nil {
		end()
	}
	return &browser{ctx: ctx, base: s.Console}, end, err
}

// paint opens a page and returns how long it took until something was on it.
func (b *browser) paint(path string) (time.Duration, error) {
	if err := chromedp.Do(b.ctx, chromedp.Navigate(b.base+path)); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	after, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64](painted, chromedp.EvalAwaitPromise))
	return time.Duration(after * float64(time.Millisecond)), err
}

// visits is how often each page is opened: enough for a percentile of 95.
const visits = 20

// Paint opens each page again and again; the row has the slowest page. name ends what the row is
// called.
func (s Side) Paint(ctx context.Context, name string) ([]measure.Row, error) {
	b, end, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var blocks []measure.Pair
	slowest, worst := "", 0.0
	for _, path := range s.Paths {
		took := make([]time.Duration, visits)
		for i := range took {
			if took[i], err = b.paint(path); err != nil {
				return nil, err
			}
		}
		p95 := measure.Percentile(took, 95)
		blocks = append(blocks, measure.Pair{Measured: p95})
		if p95 > worst {
			slowest, worst = path, p95
		}
	}
	return []measure.Row{measure.Below(300, measure.Row{
		Name: "first contentful paint of the slowest page, p95, " + name, Unit: "ms", Measured: worst, Blocks: blocks, Note: slowest,
	})}, nil
}

// happenings is how many decisions are waited for on an open page.
const happenings = 20

// Shown opens the page of an execution and takes the time from a decision's answer until the page
// shows it. waits makes an execution that waits for ann at a step, and returns both ids.
func (s Side) Shown(ctx context.Context, waits func(context.Context) (execution, step string, err error)) ([]measure.Row, error) {
	b, end, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	took := make([]time.Duration, happenings)
	for i := range took {
		execution, step, err := waits(ctx)
		if err != nil {
			return nil, err
		}
		if err := chromedp.Do(b.ctx, chromedp.Navigate(b.base+"/execution?id="+execution)); err != nil {
			return nil, err
		}
		reason := measure.Unique("reason")
		if err := s.decide(ctx, execution, step, reason); err != nil {
			return nil, err
		}
		decided := time.Now()
		_, err = chromedp.Run(b.ctx, chromedp.Poll[bool](fmt.Sprintf("document.body.innerText.includes(%q)", reason), chromedp.WithPollingMutation(), chromedp.WithPollingTimeout(time.Minute)))
		if err != nil {
			return nil, err
		}
		took[i] = time.Since(decided)
	}
	return []measure.Row{measure.Below(3000, measure.Row{Name: "a decision until an open page shows it, the slowest", Unit: "ms", Measured: measure.Percentile(took, 100)})}, nil
}
