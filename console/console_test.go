package console_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/console"
)

// answers is an interface that answers every operation with what is said of it, and counts.
type answers struct {
	said map[string]string
	// refused is what is answered with 400.
	refused map[string]string
	// lacking is what every answer says that it had to do without.
	lacking string
	calls   atomic.Int64
	last    atomic.Pointer[http.Request]
}

// ServeHTTP answers one call.
func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.calls.Add(1)
	a.last.Store(r)
	w.Header().Set("X-Request-Id", "req_1")
	if said := a.refused[r.URL.Path]; said != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, said)
		return
	}
	if r.Header.Get("x-svc-auth-token") != "token" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":{"status":"UNAUTHENTICATED","message":"the token is not the key's","details":{"reason":"signature"}}}`)
		return
	}
	if a.lacking != "" {
		w.Header().Set("X-Svc-Degraded", a.lacking)
	}
	fmt.Fprintf(w, `{"result":%s}`, a.said[r.URL.Path])
}

func newAnswers() *answers {
	return &answers{said: map[string]string{
		"/v2/workspace/usage/get":        `{"asOf":"2026-01-01T00:00:00Z","items":[],"plan":"free","rates":[]}`,
		"/v2/workflow/executions/list":   `{"items":[],"nextCursor":"","hasMore":false}`,
		"/v2/workspace/apikeyconfig/get": `{"data":{}}`,
		"/v2/workflow/executions/cancel": `{"executionId":"e","status":"cancelled"}`,
	}}
}

func open(t *testing.T, face http.Handler, keys ...[]byte) *console.Console {
	t.Helper()
	if keys == nil {
		keys = [][]byte{[]byte(strings.Repeat("k", 32))}
	}
	c, err := console.New(console.Options{Interface: "http://redline.test", Transport: console.Through(face), Keys: keys, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return c
}

func send(c http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Result()
}

func form(address string, values url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// tokenOf finds the token of the forms of a page.
var tokenOf = regexp.MustCompile(`name="formToken" value="([A-Z2-7]{26})"`)

// shown is a page with a session: its cookie where it has a new one, and the token of its forms.
func shown(t *testing.T, c http.Handler, r *http.Request) (cookies []*http.Cookie, token string) {
	t.Helper()
	answer := send(c, r)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	found := tokenOf.FindSubmatch(body)
	require.NotNil(t, found)
	return answer.Cookies(), string(found[1])
}

// login is the form as the page has it, filled in.
func login(t *testing.T, c http.Handler, values url.Values) *http.Request {
	t.Helper()
	cookies, token := shown(t, c, httptest.NewRequest(http.MethodGet, "/login", nil))
	values.Set("formToken", token)
	r := form("/login", values)
	r.AddCookie(cookies[0])
	return r
}

// loggedIn returns the cookie of a session.
func loggedIn(t *testing.T, c http.Handler) *http.Cookie {
	t.Helper()
	answer := send(c, login(t, c, url.Values{"key": {" key "}, "keyToken": {"token"}}))
	require.Equal(t, http.StatusSeeOther, answer.StatusCode)
	require.Len(t, answer.Cookies(), 1)
	return answer.Cookies()[0]
}

// look is a request for a page, with a session.
func look(address string, cookie *http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodGet, address, nil)
	r.AddCookie(cookie)
	return r
}

func TestSessionIsSealed(t *testing.T) {
	c := open(t, newAnswers())
	cookie := loggedIn(t, c)
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.NotContains(t, cookie.Value, "token")
	require.Equal(t, http.StatusOK, send(c, look("/executions", cookie)).StatusCode)
	changed := *cookie
	changed.Value = "A" + cookie.Value[1:]
	require.Equal(t, "/login?next=%2Fexecutions", send(c, look("/executions", &changed)).Header.Get("Location"))
}

// A key that is replaced opens the sessions that it sealed for as long as it is listed.
func TestSessionsOutliveTheChangeOfAKey(t *testing.T) {
	before, after := []byte(strings.Repeat("k", 32)), []byte(strings.Repeat("l", 32))
	cookie := loggedIn(t, open(t, newAnswers(), before))
	require.Equal(t, http.StatusOK, send(open(t, newAnswers(), after, before), look("/executions", cookie)).StatusCode)
	require.Equal(t, http.StatusSeeOther, send(open(t, newAnswers(), after), look("/executions", cookie)).StatusCode)
}

func TestNoSessionWithoutKeys(t *testing.T) {
	for _, keys := range [][][]byte{{}, {[]byte("short")}} {
		_, err := console.New(console.Options{Keys: keys})
		require.Error(t, err)
	}
}

func TestOverHTTPSTheSessionGoesByNothingElse(t *testing.T) {
	c := open(t, newAnswers())
	r := login(t, c, url.Values{"key": {"key"}, "keyToken": {"token"}})
	r.Header.Set("X-Forwarded-Proto", "https")
	require.True(t, send(c, r).Cookies()[0].Secure)
}

func TestALoginLeadsNowhereElse(t *testing.T) {
	c := open(t, newAnswers())
	for next, want := range map[string]string{
		"/executions?status=failed": "/executions?status=failed", "": "/", "https://evil.test/": "/", "//evil.test": "/", `/\evil.test`: "/",
		"javascript:alert(1)": "/", "executions": "/",
	} {
		answer := send(c, login(t, c, url.Values{"key": {"key"}, "keyToken": {"token"}, "next": {next}}))
		require.Equal(t, want, answer.Header.Get("Location"), next)
	}
}

// What another site makes a browser send is refused before anything is called.
func TestFormsOfOtherSites(t *testing.T) {
	face := newAnswers()
	c := open(t, face)
	cookie := loggedIn(t, c)
	called := face.calls.Load()
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"} {
		r := form("/execution/cancel", url.Values{"executionId": {"e"}})
		r.AddCookie(cookie)
		r.Header.Set(name, value)
		require.Equal(t, http.StatusForbidden, send(c, r).StatusCode, name)
	}
	require.Equal(t, called, face.calls.Load())
}

// A form that was not made for the session does nothing, and its sender is told what to do.
func TestFormsWithoutTheTokenOfTheirSession(t *testing.T) {
	face := newAnswers()
	c := open(t, face)
	cookie, other := loggedIn(t, c), loggedIn(t, c)
	_, token := shown(t, c, look("/executions", cookie))
	_, others := shown(t, c, look("/executions", other))
	called := face.calls.Load()
	for name, values := range map[string]url.Values{"none": {}, "an empty one": {"formToken": {""}}, "of another session": {"formToken": {others}}} {
		values.Set("executionId", "e")
		r := form("/execution/cancel", values)
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		require.Equal(t, http.StatusForbidden, w.Code, name)
		require.Contains(t, w.Body.String(), "Open its page again", name)
	}
	r := form("/execution/cancel?formToken="+token, url.Values{"executionId": {"e"}})
	r.AddCookie(cookie)
	require.Equal(t, http.StatusForbidden, send(c, r).StatusCode, "an address is no form")
	require.Equal(t, called, face.calls.Load())
	r = form("/execution/cancel", url.Values{"executionId": {"e"}, "formToken": {token}})
	r.AddCookie(cookie)
	require.Equal(t, http.StatusSeeOther, send(c, r).StatusCode)
}

func TestALoginNeedsItsPage(t *testing.T) {
	face := newAnswers()
	c := open(t, face)
	require.Equal(t, http.StatusForbidden, send(c, form("/login", url.Values{"key": {"key"}, "keyToken": {"token"}})).StatusCode)
	require.Zero(t, face.calls.Load())
	before := login(t, c, url.Values{"key": {"key"}, "keyToken": {"token"}})
	_, token := shown(t, c, look("/executions", send(c, before).Cookies()[0]))
	require.NotEqual(t, before.PostFormValue("formToken"), token, "whoever knew the token before knows none after")
}

// Whoever is not logged in sends little.
func TestALoginIsNoLargeForm(t *testing.T) {
	c := open(t, newAnswers())
	large := login(t, c, url.Values{"key": {"key"}, "keyToken": {strings.Repeat("t", 64<<10)}})
	answer := send(c, large)
	require.Equal(t, http.StatusBadRequest, answer.StatusCode)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "64.0 KiB")
	endless := io.MultiReader(strings.NewReader("acting="), io.LimitReader(neverEnding('a'), 1<<24))
	r := httptest.NewRequest(http.MethodPost, "/acting", endless)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	send(c, r)
	left, err := io.Copy(io.Discard, endless)
	require.NoError(t, err)
	require.Greater(t, left, int64(1<<24-1<<20), "wherever it is sent to")
}

// neverEnding is a body without end.
type neverEnding byte

func (b neverEnding) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = byte(b)
	}
	return len(into), nil
}

// Every form of every page has the token.
func TestEveryFormHasTheToken(t *testing.T) {
	files, err := filepath.Glob("templates/*.html")
	require.NoError(t, err)
	begin := regexp.MustCompile(`<form[^>]*method="post"[^>]*>`)
	for _, file := range append(files, "templates/shared/frame.html") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, at := range begin.FindAllIndex(text, -1) {
			require.True(t, bytes.HasPrefix(text[at[1]:], []byte(`{{template "token" $}}`)), "%s: %s", file, text[at[0]:at[1]])
		}
	}
}

// Pages that are looked at again share a read; a page that is opened reads by itself.
func TestEqualViewsShareARead(t *testing.T) {
	face := newAnswers()
	c := open(t, face)
	cookie := loggedIn(t, c)
	again := func(address string) {
		r := look(address, cookie)
		r.Header.Set("HX-Request", "true")
		require.Equal(t, http.StatusOK, send(c, r).StatusCode)
	}
	begin := face.calls.Load()
	again("/executions")
	again("/executions")
	require.Equal(t, begin+1, face.calls.Load(), "an equal view")
	again("/executions?status=failed")
	require.Equal(t, begin+2, face.calls.Load(), "another view")
	send(c, look("/executions", cookie))
	require.Equal(t, begin+3, face.calls.Load(), "opened")
}

// Limits of addresses count who looks, not the console.
func TestTheInterfaceSeesWhoLooks(t *testing.T) {
	face := newAnswers()
	c := open(t, face)
	r := look("/executions", loggedIn(t, c))
	r.RemoteAddr = "198.51.100.7:4711"
	r.Header.Set("X-Forwarded-For", "203.0.113.9")
	send(c, r)
	require.Equal(t, "198.51.100.7:4711", face.last.Load().RemoteAddr)
	require.Equal(t, "203.0.113.9", face.last.Load().Header.Get("X-Forwarded-For"))
}

// A live part of a page whose session is over leads the whole page to the login.
func TestALivePartOfASessionThatIsOver(t *testing.T) {
	c := open(t, newAnswers())
	r := httptest.NewRequest(http.MethodGet, "/executions", nil)
	r.Header.Set("HX-Request", "true")
	answer := send(c, r)
	require.Equal(t, "/login?next=%2Fexecutions", answer.Header.Get("HX-Redirect"))
}

// Numbers of every kind are written: a page with them is a page.
func TestPagesWithNumbers(t *testing.T) {
	face := newAnswers()
	face.said["/v2/memory/patterns/get"] = `[{"patternId":"p1","category":"c","confidence":0.81,"contentType":null,"decision":"reject","description":"prices","discoveredAt":1,"enforcementRate":0.9,"scope":"workspace","sourceCount":3,"topSourceRecordIds":[],"uniqueReviewers":2,"updatedAt":1}]`
	face.said["/v2/memory/ask"] = `{"answer":"A year.","citations":[{"kind":"rule","sourceId":"s1","snippet":"A year."}],"confidence":0.5,"recordsSearched":2}`
	face.said["/v2/workflow/steps/list"] = `{"items":[{"stepId":"s1","executionId":"e1","nodeId":"review","nodeType":"human","status":"waiting","definitionId":"d1","correlationId":"c","output":{},"metadata":{"iteration":2,"attempt":1,"nodeName":"","reviewers":[{"userId":"ann","mandatory":true}]}}],"hasMore":false,"nextCursor":null}`
	face.said["/v2/workflow/executions/get"] = `{"executionId":"e1","status":"running","steps":[],"triggerContext":{"title":"Spring"}}`
	face.said["/v2/memory/suggest"] = `{"conflict":null,"primary":{"basedOn":4,"caveats":["few"],"confidence":0.75,"recommendation":"reject","scope":"workspace","scopeLabel":"This workspace","topReasons":["too cheap"],"uniqueReviewers":2}}`
	c := open(t, face)
	cookie := loggedIn(t, c)
	for address, words := range map[string]string{"/patterns": "81 %", "/ask?q=what": "50 %", "/inbox": "75 %"} {
		w := httptest.NewRecorder()
		c.ServeHTTP(w, look(address, cookie))
		require.Equal(t, http.StatusOK, w.Code, address)
		require.Contains(t, w.Body.String(), words)
	}
}

// A browser keeps the assets, and a page names each by what it holds.
func TestAssetsAreKeptByWhatTheyHold(t *testing.T) {
	c := open(t, newAnswers())
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/login", nil))
	addresses := regexp.MustCompile(`"(/assets/[^"]+)"`).FindAllStringSubmatch(w.Body.String(), -1)
	require.Len(t, addresses, 5)
	for _, address := range addresses {
		require.Regexp(t, `^/assets/[\w.-]+\?[0-9a-f]{12}$`, address[1])
		answer := send(c, httptest.NewRequest(http.MethodGet, address[1], nil))
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Contains(t, answer.Header.Get("Cache-Control"), "immutable")
	}
}

// An answer that had to do without a part of the service is not shown as a whole one.
func TestWhatAnAnswerLacksIsSaid(t *testing.T) {
	face := newAnswers()
	face.said["/v2/memory/knowledge/search"] = `{"results":[],"recordsSearched":0}`
	face.said["/v2/memory/ask"] = `{"answer":"A year.","citations":[],"confidence":0.5,"recordsSearched":2}`
	c := open(t, face)
	cookie := loggedIn(t, c)
	for said, words := range map[string][]string{"": nil, "recency": {"came in last"}, "keywords, recency": {"by its words alone", "came in last"}, "partial": {"what the rest says"}} {
		face.lacking = said
		for _, address := range []string{"/search?q=year", "/ask?q=year"} {
			w := httptest.NewRecorder()
			c.ServeHTTP(w, look(address, cookie))
			require.Equal(t, http.StatusOK, w.Code)
			require.Equal(t, len(words), strings.Count(w.Body.String(), `class="notice wait"`), said)
			for _, each := range words {
				require.Contains(t, w.Body.String(), each)
			}
		}
	}
}

// An attempt at an endpoint is shown with what it sent, as far as that is still kept.
func TestAttemptsWithTheirRequests(t *testing.T) {
	face := newAnswers()
	face.said["/v2/workspace/advancedwebhook/endpoints/get"] = `{"data":{"endpoints":[{"id":"ep_1","url":"https://hooks.test/"}],"iterator":null,"done":true}}`
	face.said["/v2/workspace/advancedwebhook/attempts/get"] = `{"data":{"attempts":[
		{"id":"at_1","messageId":"msg_1","event":"comment.add","url":"https://hooks.test/before","status":"failed","class":"http","attempt":1,"httpStatus":503,"responseBody":"<b>full</b>","startedAt":"2026-01-01T00:00:00Z"},
		{"id":"at_2","messageId":"msg_2","event":"comment.add","url":"https://hooks.test/","status":"succeeded","class":"ok","attempt":1,"httpStatus":200,"startedAt":"2026-01-01T00:00:00Z"}],"iterator":null,"done":true}}`
	face.said["/v2/workspace/advancedwebhook/messages/get"] = `{"data":{"messages":[{"id":"msg_1","event":"comment.add","payload":"{\"text\":\"<i>\"}","createdAt":"2026-01-01T00:00:00Z","deliveries":[]}],"iterator":null,"done":true}}`
	c := open(t, face)
	w := httptest.NewRecorder()
	c.ServeHTTP(w, look("/endpoint?id=ep_1", loggedIn(t, c)))
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	for _, words := range []string{
		`<p class="small">POST https://hooks.test/before</p><pre class="text" tabindex="0" dir="auto">{&#34;text&#34;:&#34;&lt;i&gt;&#34;}</pre>`,
		`<p class="small">POST https://hooks.test/</p><p class="dim small">Its body is no longer kept.</p>`,
	} {
		require.Contains(t, w.Body.String(), words)
	}
}

// A new version is compared with the one before by its rules and by its lines, however a browser
// ends them.
func TestANewVersionIsCompared(t *testing.T) {
	face := newAnswers()
	face.said["/v2/memory/knowledge/download"] = `"House.\n\nBills must be paid within 30 days.\n"`
	face.said["/v2/memory/knowledge/update"] = `{"diff":{"added":["within 14"],"removed":["within 30"],"unchanged":3},"newVersion":2}`
	c := open(t, face)
	cookie := loggedIn(t, c)
	_, token := shown(t, c, look("/executions", cookie))
	r := form("/source/rewrite", url.Values{"formToken": {token}, "id": {"src_1"}, "version": {"1"}, "text": {"House.\r\n\r\nBills must be paid within 14 days.\r\n"}})
	r.AddCookie(cookie)
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	for _, words := range []string{"3 rules unchanged", `<del dir="auto">− within 30</del>`, "<del>− Bills must be paid within 30 days.</del><ins>+ Bills must be paid within 14 days.</ins>", "<span>  House.</span>"} {
		require.Contains(t, w.Body.String(), words)
	}
}

// What is free in its form is written for somebody who does not read JSON, its numbers as they came.
func TestFreeValuesAreWrittenForReaders(t *testing.T) {
	face := newAnswers()
	face.said["/v2/workflow/executions/get"] = `{"executionId":"e1","definitionId":"d1","status":"running","steps":[{"stepId":"s1","nodeId":"publish","status":"running","input":{"words":412},"output":{},"metadata":{}},
		{"stepId":"s2","nodeId":"root","status":"running","input":{},"output":{},"metadata":{}}],"triggerContext":{"title":"Spring <b>","pages":12345678901234567890,"of":["Ann",{"year":null}]}}`
	face.said["/v2/workflow/definitions/versions/get"] = `{"name":"D","nodes":[],"edges":[]}`
	face.said["/v2/workflow/executions/getEvents"] = `{"events":[]}`
	face.said["/v2/workflow/executions/getDeliveries"] = `{"items":[]}`
	c := open(t, face)
	w := httptest.NewRecorder()
	c.ServeHTTP(w, look("/execution?id=e1", loggedIn(t, c)))
	require.Equal(t, http.StatusOK, w.Code)
	for _, words := range []string{
		`<dt dir="auto">title</dt><dd><span class="said" dir="auto">Spring &lt;b&gt;</span></dd>`, `<dt dir="auto">pages</dt><dd>12345678901234567890</dd>`,
		`<summary class="dim small">Input</summary><dl class="value"><div><dt dir="auto">words</dt><dd>412</dd>`,
		`<li><span class="said" dir="auto">Ann</span></li><li><dl class="value"><div><dt dir="auto">year</dt><dd>null</dd></div></dl></li>`,
	} {
		require.Contains(t, w.Body.String(), words)
	}
	require.Equal(t, 1, strings.Count(w.Body.String(), ">Input<"), "a step that began with nothing says nothing of it")
}

// body is the page at an address.
func body(t *testing.T, c http.Handler, address string, cookie *http.Cookie, code int) string {
	t.Helper()
	w := httptest.NewRecorder()
	c.ServeHTTP(w, look(address, cookie))
	require.Equal(t, code, w.Code, w.Body.String())
	return w.Body.String()
}

// Of many endpoints the first page shows those that something did not reach.
func TestTheOverviewShowsFirstWhatFails(t *testing.T) {
	face := newAnswers()
	var endpoints []string
	for i := range 9 {
		endpoints = append(endpoints, fmt.Sprintf(`{"id":"ep_%d","url":"https://hooks.test/%d"}`, i, i))
	}
	face.said["/v2/workspace/advancedwebhook/endpoints/get"] = `{"data":{"endpoints":[` + strings.Join(endpoints, ",") + `],"iterator":null,"done":true}}`
	face.said["/v2/workspace/advancedwebhook/attempts/get"] = `{"data":{"attempts":[],"iterator":null,"done":true}}`
	now := time.Now().UTC().Format(time.RFC3339)
	face.said["/v2/workspace/advancedwebhook/messages/get"] = `{"data":{"messages":[{"id":"msg_1","event":"comment.add","createdAt":"` + now + `","deliveries":[
		{"endpointId":"ep_0","status":"pending","attempts":0,"class":null},{"endpointId":"ep_1","status":"succeeded","attempts":1,"class":"ok"},
		{"endpointId":"ep_8","status":"pending","attempts":1,"class":"server-error"}]}],"iterator":null,"done":true}}`
	face.said["/v2/workflow/steps/list"] = `{"items":[],"hasMore":false,"nextCursor":null}`
	c := open(t, face)
	shown := body(t, c, "/", loggedIn(t, c), http.StatusOK)
	require.Contains(t, shown, "3 to endpoints, 1 have not arrived")
	first := strings.Index(shown, "/endpoint?id=")
	require.True(t, strings.HasPrefix(shown[first:], "/endpoint?id=ep_8"), shown[first:first+40])
	require.Equal(t, 4, strings.Count(shown, "/endpoint?id="))
}

// The pages of a list that counts back from now name the instant with which the first one was read.
func TestExecutionsOfTheLastDay(t *testing.T) {
	face := newAnswers()
	face.said["/v2/workflow/executions/list"] = `{"items":[{"executionId":"e1","definitionId":"d1","status":"completed","steps":[],"startedAt":1}],"nextCursor":"c2","hasMore":true}`
	c := open(t, face)
	cookie := loggedIn(t, c)
	asked := func(address string) (after int64, shown string) {
		shown = body(t, c, address, cookie, http.StatusOK)
		var wanted struct{ Data struct{ StartedAfter int64 } }
		require.NoError(t, json.NewDecoder(face.last.Load().Body).Decode(&wanted))
		return wanted.Data.StartedAfter, shown
	}
	after, shown := asked("/executions?since=day")
	require.WithinDuration(t, time.Now().Add(-24*time.Hour), time.UnixMilli(after), time.Hour)
	next := fmt.Sprintf("/executions?after=%d&amp;cursor=c2&amp;since=day", after)
	require.Contains(t, shown, next)
	again, _ := asked(html.UnescapeString(next))
	require.Equal(t, after, again)
	require.Contains(t, shown, "1 execution, 1 completed")
	all, _ := asked("/executions?since=ever")
	require.Zero(t, all)
}

// What a list does not have is said with the request that did not find it.
func TestWhatIsNotThereHasItsRequest(t *testing.T) {
	face := newAnswers()
	face.said["/v2/organizations/documents/get"] = `{"data":[]}`
	face.said["/v2/commentannotations/get"] = `{"data":[]}`
	face.said["/v2/commentannotations/comments/get"] = `{"data":[]}`
	face.said["/v2/workspace/advancedwebhook/endpoints/get"] = `{"data":{"endpoints":[],"iterator":null,"done":true}}`
	face.said["/v2/workspace/advancedwebhook/attempts/get"] = `{"data":{"attempts":[],"iterator":null,"done":true}}`
	face.said["/v2/workspace/advancedwebhook/messages/get"] = `{"data":{"messages":[],"iterator":null,"done":true}}`
	c := open(t, face)
	cookie := loggedIn(t, c)
	for _, address := range []string{"/document?organization=o&id=d", "/thread?organization=o&document=d&id=a", "/endpoint?id=ep_1"} {
		require.Contains(t, body(t, c, address, cookie, http.StatusNotFound), `data-copy="req_1"`, address)
	}
}

// A file that is refused on its way is refused in the words of the interface.
func TestAFileThatIsRefused(t *testing.T) {
	face := newAnswers()
	face.said["/v2/memory/knowledge/upload-url"] = `{"uploadUrl":"http://redline.test/files/1","fileRef":"file_1"}`
	face.refused = map[string]string{"/files/1": `{"error":{"status":"INVALID_ARGUMENT","message":"the file is no PDF","details":{"reason":"invalid-argument"}}}`}
	c := open(t, face)
	cookie := loggedIn(t, c)
	_, token := shown(t, c, look("/executions", cookie))
	var sent bytes.Buffer
	w := multipart.NewWriter(&sent)
	require.NoError(t, w.WriteField("formToken", token))
	file, err := w.CreateFormFile("file", "bills.pdf")
	require.NoError(t, err)
	_, err = file.Write([]byte("no PDF"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	r := httptest.NewRequest(http.MethodPost, "/knowledge/upload", &sent)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.AddCookie(cookie)
	answer := httptest.NewRecorder()
	c.ServeHTTP(answer, r)
	require.Equal(t, http.StatusBadRequest, answer.Code)
	for _, words := range []string{"the file is no PDF", "INVALID_ARGUMENT", `data-copy="req_1"`} {
		require.Contains(t, answer.Body.String(), words)
	}
}
