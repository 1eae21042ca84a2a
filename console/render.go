package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
)

// page is what a template shows.
type page struct {
	Title, Template string
	// Section is the entry of the menu that it belongs to.
	Section string
	// Look is the address that its live part is read again from; empty for the page's own.
	Look string
	Data any

	session session
}

// frame is a page with what surrounds it.
type frame struct {
	*page
	Session  session
	LoggedIn bool
	Sections []section
	Address  string
	Notice   string
	Mails    bool
}

// section is an entry of the menu; Icon is the name of its picture in icons.html.
type section struct{ Path, Name, Group, Icon string }

var sections = []section{
	{"/", "Overview", "", "overview"},
	{"/inbox", "Inbox", "", "inbox"},
	{"/executions", "Executions", "Workflows", "executions"},
	{"/definitions", "Definitions", "Workflows", "definitions"},
	{"/endpoints", "Webhooks", "Workflows", "webhook"},
	{"/organizations", "Documents", "Collaboration", "document"},
	{"/knowledge", "Knowledge", "Memory", "knowledge"},
	{"/search", "Search", "Memory", "search"},
	{"/ask", "Ask", "Memory", "ask"},
	{"/judgments", "Judgments", "Memory", "judgments"},
	{"/patterns", "Patterns", "Memory", "patterns"},
	{"/settings", "Settings", "Workspace", "settings"},
	{"/jobs", "Jobs", "Workspace", "jobs"},
}

//go:embed templates
var templates embed.FS

// parsePages reads the templates: each page by itself over what all share.
func parsePages() (map[string]*template.Template, error) {
	base, err := template.New("").Funcs(functions).ParseFS(templates, "templates/shared/*.html")
	if err != nil {
		return nil, err
	}
	files, err := templates.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		own, err := base.Clone()
		if err == nil {
			own, err = own.ParseFS(templates, path.Join("templates", file.Name()))
		}
		if err != nil {
			return nil, err
		}
		pages[strings.TrimSuffix(file.Name(), ".html")] = own
	}
	return pages, nil
}

// send writes a page, or only the part of it that lives where that is read again.
func (c *Console) send(w http.ResponseWriter, r *http.Request, code int, p *page) {
	f := &frame{page: p, Session: p.session, LoggedIn: p.session.known(), Sections: sections, Address: r.URL.RequestURI(), Mails: c.options.Mails != ""}
	part := "frame"
	if isLive(r) {
		part = "live"
	} else {
		c.open(r, noticeCookie, &f.Notice)
	}
	var out bounded
	err := c.pages[p.Template].ExecuteTemplate(&out, part, f)
	if errors.Is(err, errLargePage) {
		c.sendFailure(w, r, p.session, errLargePage)
		return
	}
	if err != nil {
		c.options.Log.ErrorContext(r.Context(), "a page could not be written", "error", err, "name", p.Template)
		http.Error(w, "this page could not be written", http.StatusInternalServerError)
		return
	}
	if f.Notice != "" {
		forget(w, r, noticeCookie)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(out.text.Bytes()) // a reader who is gone is no fault of ours
}

// largestPage is how many bytes a page has.
const largestPage = 16 << 20

// errLargePage is a page that would have more.
var errLargePage = &redline.Error{
	HTTPStatus: http.StatusRequestEntityTooLarge, Message: "There is more to be shown than one page takes. The interface gives it in parts.",
}

// bounded is a page while it is written.
type bounded struct{ text bytes.Buffer }

// Write adds to the page.
func (b *bounded) Write(text []byte) (int, error) {
	if b.text.Len()+len(text) > largestPage {
		return 0, errLargePage
	}
	return b.text.Write(text)
}

// functions are what templates have beside the usual.
var functions = template.FuncMap{
	"asset":     func(name string) string { return assetAddresses[name] },
	"time":      timeOf,
	"pretty":    pretty,
	"free":      freeOf,
	"kind":      kindOf,
	"short":     short,
	"link":      to,
	"text":      textOf,
	"tone":      tone,
	"dict":      dict,
	"bytes":     bytesOf,
	"plural":    plural,
	"count":     countOf,
	"responses": responsesOf,
	"name":      nameOf,
	"word":      wordOf,
	"percent":   percent,
	"said":      saidBy,
	"waits":     waitsFor,
	"eventTone": eventTone,
	"happened":  happenedIn,
}

// timeOf is an element with an instant: milliseconds, RFC 3339, or nil for none. A script writes
// it in the zone of the reader.
func timeOf(at any) (template.HTML, error) {
	var t time.Time
	switch at := at.(type) {
	case int64:
		t = time.UnixMilli(at)
	case *int64:
		if at == nil {
			return "", nil
		}
		t = time.UnixMilli(*at)
	case *string:
		if at == nil {
			return "", nil
		}
		return timeOf(*at)
	case string:
		if t = instantOf(at); t.IsZero() {
			return template.HTML(template.HTMLEscapeString(at)), nil
		}
	default:
		return "", fmt.Errorf("%T is no time", at)
	}
	t = t.UTC()
	return template.HTML(`<time datetime="` + t.Format("2006-01-02T15:04:05.000Z07:00") + `">` + t.Format("2006-01-02 15:04:05 UTC") + `</time>`), nil
}

// instantOf returns what an RFC 3339 text says, the zero time where it is none.
func instantOf(at string) time.Time {
	t, _ := time.Parse(time.RFC3339, at) // the text is shown as it is then
	return t
}

// largestValue is how many bytes of a free-form value are laid out: indented, it may be sixty times as long. A longer one is
// shown as it came, and cut off.
const largestValue = 64 << 10

// pretty writes a value as indented JSON.
func pretty(value any) string {
	if text, whole := compact(value); !whole {
		return text
	}
	return indented(value)
}

// indented writes a value as JSON of any length.
func indented(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(value) != nil { // what came as JSON can be written as it
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// compact is a value as JSON, and whether it is whole.
func compact(value any) (text string, whole bool) {
	out, err := json.Marshal(value)
	if err != nil { // what came as JSON can be written as it
		return fmt.Sprint(value), false
	}
	if text = string(out); len(text) > largestValue {
		return strings.ToValidUTF8(text[:largestValue], "") + "…", false
	}
	return text, true
}

// freeOf reads a free-form value, so that a template can go through it, with its numbers as they came.
func freeOf(free any) any {
	text, whole := compact(free)
	var value any
	if !whole || unmarshal(text, &value) != nil {
		return text
	}
	return value
}

// kindOf says how a free-form value is written for a person: "object", "list", "text", or as JSON
// where it is anything else.
func kindOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "list"
	case string:
		return "text"
	default:
		return "other"
	}
}

// short cuts a text where it becomes too long for a row.
func short(most int, text string) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

// textOf is a value that may be missing, as text.
func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case *string:
		if value == nil {
			return ""
		}
		return *value
	case *int64:
		if value == nil {
			return ""
		}
		return strconv.FormatInt(*value, 10)
	default:
		return fmt.Sprint(value)
	}
}

// tones are the colours of words for how something stands; the word is always beside it.
var tones = map[string]string{
	"completed": "good", "delivered": "good", "approve": "good", "live": "good", "active": "good", "succeeded": "good", "success": "good", "ready": "good", "accepted": "good",
	"failed": "bad", "dead": "bad", "refused": "bad", "reject": "bad", "breached": "bad", "disabled": "bad", "rejected": "bad",
	"waiting": "wait", "pending": "wait", "retrying": "wait",
	"running": "busy", "processing": "busy",
}

func tone(word any) string {
	if found := tones[fmt.Sprint(word)]; found != "" {
		return found
	}
	return "calm"
}

// happened are words for what events say; a node's name stands before those of steps.
var happened = map[string]string{
	"execution.dispatched": "Dispatched", "execution.completed": "Completed", "execution.failed": "Failed", "execution.cancelled": "Cancelled",
	"execution.paused": "Paused", "execution.resumed": "Resumed", "execution.retried": "Tried again",
	"step.awaiting-approval": "waits", "step.completed": "is completed", "step.failed": "has failed", "step.breached": "is past its deadline",
	"step.cancelled": "is cancelled", "step.reassigned": "is somebody else's", "group.quorum-met": "A group has enough votes",
	"loop.iteration-started": "The next pass begins", "loop.exhausted": "No further pass is left",
}

func happenedIn(event string) string { return happened[event] }

// eventTone is the colour of an event, by what its name says.
func eventTone(event string) string {
	for _, word := range []string{"failed", "rejected", "breached", "dead"} {
		if strings.Contains(event, word) {
			return "bad"
		}
	}
	for _, word := range []string{"completed", "approved", "delivered"} {
		if strings.Contains(event, word) {
			return "good"
		}
	}
	if strings.Contains(event, "waiting") || strings.Contains(event, "awaiting") || strings.Contains(event, "paused") {
		return "wait"
	}
	return "calm"
}

// dict makes a map of names and values in turn, for a template that takes several.
func dict(pairs ...any) map[string]any {
	made := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		made[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return made
}

// bytesOf writes a number of bytes for a person.
func bytesOf(n int64) string {
	const step = 1024
	if n < step {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n), "KMGTP"
	unit := -1
	for value >= step && unit < len(units)-1 {
		value /= step
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}

// percent is a part of one.
func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

// countOf is how many things a list has.
func countOf(list any) int64 { return int64(reflect.ValueOf(list).Len()) }

// plural is "1 step", "2 steps".
func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
