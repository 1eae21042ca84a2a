package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// finding is a script that brings what a reader sees into view, has it note in the session under a
// name that it was clicked, and returns its middle. The first place is a selector, the second the
// words of the element, or of the label of a field: who says no more than the words goes before
// who says more. The third is the name.
const finding = `(() => {
  const words = %[2]q, seen = [...document.querySelectorAll(%[1]q)].filter(e => e.checkVisibility());
  const says = e => ((e.labels?.length ? e.labels[0] : e).innerText ?? "").trim();
  const found = seen.find(e => says(e) === words) ?? seen.find(e => says(e).startsWith(words));
  if (!found) return "";
  found.scrollIntoView({block: "center", behavior: "instant"});
  found.addEventListener("click", () => sessionStorage.setItem("clicked", %[3]q), {capture: true, once: true});
  const box = found.getClientRects()[0]; // of a link in two lines the first
  return (box.x + Math.min(box.width / 2, 60)) + " " + (box.y + box.height / 2);
})()`

// The elements that a hand reaches for.
const (
	pressed = "button, a, summary"
	typedIn = "input:not([type=hidden]), textarea, select"
)

// click waits until something is seen and clicks it. A page that moves under the hand is clicked
// again.
func (b *tab) click(selector, words string) {
	b.env.T.Helper()
	b.presses++
	name := strconv.Itoa(b.presses)
	b.await("there is "+words+" to be clicked", func() bool {
		var x, y float64
		place, _ := b.ask(fmt.Sprintf(finding, selector, words, name)) // asked again
		if n, _ := fmt.Sscan(place, &x, &y); n < 2 {
			return false
		}
		b.do(chromedp.MouseClickXY(x, y))
		clicked, _ := b.ask(`sessionStorage.getItem("clicked") ?? ""`)
		return clicked == name
	})
}

// press clicks what says the words: a button, a link, or what opens a part of the page.
func (b *tab) press(words string) {
	b.env.T.Helper()
	b.click(pressed, words)
}

// pressIn is press for a button of the form that the selector names.
func (b *tab) pressIn(form, words string) {
	b.env.T.Helper()
	b.click(form+" button", words)
}

// fill types a text into the field with that label, in the place of what is there.
func (b *tab) fill(label, text string) {
	b.env.T.Helper()
	b.fillIn("", label, text)
}

// fillIn is fill for a field of the form that the selector names.
func (b *tab) fillIn(form, label, text string) {
	b.env.T.Helper()
	b.click(form+" :is("+typedIn+")", label)
	b.run(`document.activeElement.select(); ""`)
	_, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: text})
	require.NoError(b.env.T, err)
}

// choose takes the option that says the words from the list with that label.
func (b *tab) choose(label, option string) {
	b.env.T.Helper()
	b.await("there is "+option+" among "+label, func() bool {
		chosen, _ := b.ask(fmt.Sprintf(`(() => {
  const list = [...document.querySelectorAll("select")].find(e => e.checkVisibility() && e.labels[0].innerText.trim() === %q);
  list.value = [...list.options].find(o => o.text === %q).value;
  list.dispatchEvent(new Event("change", {bubbles: true}));
  return "chosen";
})()`, label, option)) // asked again
		return chosen == "chosen"
	})
}

// drop drags a file with that name and text onto the place that says the words.
func (b *tab) drop(words, name, text string) {
	b.env.T.Helper()
	file := filepath.Join(b.env.T.TempDir(), name)
	require.NoError(b.env.T, os.WriteFile(file, []byte(text), 0o600))
	var x, y float64
	_, err := fmt.Sscan(b.run(fmt.Sprintf(finding, "label", words, "")), &x, &y)
	require.NoError(b.env.T, err)
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		_, err := chromedp.Call(b.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{
			Type: input.DispatchDragEventType(kind), X: x, Y: y, Data: &input.DragData{Files: []string{file}, Items: []*input.DragDataItem{}, DragOperationsMask: 1},
		})
		require.NoError(b.env.T, err, kind)
	}
}

// count is how many elements the page has of a selector.
func (b *tab) count(selector string) int {
	b.env.T.Helper()
	n, err := strconv.Atoi(b.run(fmt.Sprintf(`String(document.querySelectorAll(%q).length)`, selector)))
	require.NoError(b.env.T, err)
	return n
}

// forgive requires that the browser has said nothing but about calls that ended so, which it and
// htmx note by themselves, and forgets it.
func (b *tab) forgive(ends ...string) {
	b.env.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, message := range b.said {
		require.True(b.env.T, slices.ContainsFunc(ends, func(end string) bool { return strings.Contains(message, end) }), message)
	}
	b.said = nil
}
