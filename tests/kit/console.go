package kit

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Visitor looks at pages of the console as a browser without scripts does.
type Visitor struct {
	Env  *Env
	Base string
	HTTP *http.Client
	// Token is that of the forms of the page that was looked at last.
	Token string
}

// Shown is a page as it came.
type Shown struct {
	Code    int
	Address string
	Header  http.Header
	Body    string
	root    *html.Node
}

// ConsoleURL returns the base address of the console of the shared stack.
func ConsoleURL() string { return "http://" + Shared.Env["REDLINE_CONSOLE_ADDR"] }

// NewVisitor returns somebody who looks at the login.
func NewVisitor(env *Env) *Visitor {
	env.T.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(env.T, err)
	v := &Visitor{Env: env, Base: ConsoleURL(), HTTP: &http.Client{Jar: jar}}
	v.Open("/login")
	return v
}

// Visit returns somebody who has logged in with the key of the workspace.
func Visit(env *Env) *Visitor {
	env.T.Helper()
	v := NewVisitor(env)
	v.Submit("/login", "key", env.Workspace.APIKey, "keyToken", env.Workspace.AuthToken)
	return v
}

// Open shows the page at an address, with the names and values of a query in turn.
func (v *Visitor) Open(path string, pairs ...string) *Shown {
	v.Env.T.Helper()
	if len(pairs) > 0 {
		path += "?" + values(pairs).Encode()
	}
	request, err := http.NewRequestWithContext(v.Env.Ctx, http.MethodGet, v.Base+path, nil)
	require.NoError(v.Env.T, err)
	return v.send(request)
}

// Submit sends a form of the page that was looked at last, with the names and values of its
// fields in turn, and shows where it leads.
func (v *Visitor) Submit(path string, pairs ...string) *Shown {
	v.Env.T.Helper()
	pairs = append([]string{"formToken", v.Token}, pairs...)
	return v.Post(path, "application/x-www-form-urlencoded", strings.NewReader(values(pairs).Encode()))
}

// Post sends a body of any type, as a form with a file does.
func (v *Visitor) Post(path, contentType string, body io.Reader) *Shown {
	v.Env.T.Helper()
	request, err := http.NewRequestWithContext(v.Env.Ctx, http.MethodPost, v.Base+path, body)
	require.NoError(v.Env.T, err)
	request.Header.Set("Content-Type", contentType)
	return v.send(request)
}

// LongLoopsPerson is the node of LongLoop at which ann decides.
const LongLoopsPerson = "n098"

// LongLoop defines a hundred nodes one behind the other, of which the last but one is a person's: a
// rejection leads back to the first.
func LongLoop(env *Env) string {
	env.T.Helper()
	name := func(i int) string { return fmt.Sprintf("n%03d", i) }
	var nodes []redline.NodeInput
	var edges []redline.EdgeInput
	for i := range 98 {
		nodes = append(nodes, client.Mock(name(i)))
		edges = append(edges, client.Always(name(i), name(i+1)))
	}
	nodes = append(nodes, client.Human(LongLoopsPerson, "ann"), client.Mock(name(99)))
	edges = append(edges, client.Approve(LongLoopsPerson, name(99)), redline.EdgeInput{From: LongLoopsPerson, To: name(0), On: new(redline.EdgeInputOnReject), Loop: &redline.LoopInput{MaxIterations: 3}})
	return Define(env, nodes, edges...)
}

// MakeMany makes so many copies of an execution that has ended, the idempotency keys of which are
// "copy " and a number from 1; they started before it.
func MakeMany(run *Run, copies int) {
	run.S.T.Helper()
	const id = `'exec_' || (1600000000000 + n) || '_' || lpad(to_hex(n), 8, '0')`
	for _, statement := range []string{
		`INSERT INTO executions SELECT (jsonb_populate_record(t, jsonb_build_object('id', ` + id + `, 'idempotency_key', 'copy ' || n,
    'started_at', '2020-09-13'::timestamptz + n * interval '1 ms'))).*
FROM executions t CROSS JOIN generate_series(1, $3) n WHERE t.workspace_id = $1 AND t.id = $2`,
		`INSERT INTO steps SELECT (jsonb_populate_record(t, jsonb_build_object('execution_id', ` + id + `))).*
FROM steps t CROSS JOIN generate_series(1, $3) n WHERE t.workspace_id = $1 AND t.execution_id = $2`,
	} {
		_, err := run.S.DB().Exec(run.S.Ctx, statement, run.S.Workspace.ID, run.ID, copies)
		require.NoError(run.S.T, err)
	}
}

func values(pairs []string) url.Values {
	found := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		found.Add(pairs[i], pairs[i+1])
	}
	return found
}

func (v *Visitor) send(request *http.Request) *Shown {
	t := v.Env.T
	t.Helper()
	answer, err := v.HTTP.Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	root, err := html.Parse(strings.NewReader(string(body)))
	require.NoError(t, err)
	shown := &Shown{Code: answer.StatusCode, Address: answer.Request.URL.RequestURI(), Header: answer.Header, Body: string(body), root: root}
	v.Token = cmp.Or(shown.Field("formToken"), v.Token)
	require.Empty(t, shown.inline(), "a page has nothing inline that runs or styles")
	return shown
}

// Text is what a reader sees, with single spaces.
func (s *Shown) Text() string {
	var text strings.Builder
	for node := range s.root.Descendants() {
		hidden := node.Parent != nil && (node.Parent.Data == "script" || node.Parent.Data == "style")
		if node.Type == html.TextNode && !hidden {
			text.WriteString(node.Data + " ")
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// Links are the addresses of all links whose text has the words.
func (s *Shown) Links(words string) (addresses []string) {
	for node := range s.root.Descendants() {
		if node.Data == "a" && node.Type == html.ElementNode && strings.Contains(textOf(node), words) {
			addresses = append(addresses, attribute(node, "href"))
		}
	}
	return addresses
}

// Field is what the first hidden field of that name holds.
func (s *Shown) Field(name string) string {
	for node := range s.root.Descendants() {
		if node.Data == "input" && attribute(node, "name") == name {
			return attribute(node, "value")
		}
	}
	return ""
}

// Elements counts the elements of a name.
func (s *Shown) Elements(name string) (n int) {
	for node := range s.root.Descendants() {
		if node.Type == html.ElementNode && node.Data == name {
			n++
		}
	}
	return n
}

func textOf(node *html.Node) string {
	var text strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
	return text.String()
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// inline lists what the policy of the pages would keep from running: it must not be there at all.
func (s *Shown) inline() (found []string) {
	for node := range s.root.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		if node.Data == "style" || node.Data == "script" && attribute(node, "src") == "" {
			found = append(found, node.Data)
		}
		for _, a := range node.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
				found = append(found, node.Data+" "+a.Key)
			}
		}
	}
	return found
}
