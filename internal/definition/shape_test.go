package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
)

// with writes a definition of one node with more keys of the definition.
func with(more string) string {
	return `{"definitionId":"abc","name":"n","nodes":[` + mock("a") + `],"edges":[]` + more + `}`
}

// node writes a definition whose one node has this type and config; reject
// gives it a reject path.
func node(kind, config string, more ...string) string {
	n := fmt.Sprintf(`{"nodeId":"a","type":%q,"config":%s%s}`, kind, config, strings.Join(append([]string{""}, more...), ","))
	return graph([]string{n, mock("z")}, []string{edge("a", "z", "reject")}, nil)
}

func hook(more string) string { return node("webhook", `{"url":"https://x.example.com/"`+more+`}`) }

func trigger(more string) string { return with(`,"triggers":[{"triggerId":"t"` + more + `}]`) }

func cron(line string) string {
	return trigger(`,"schedule":{"cron":"` + line + `","timezone":"Europe/Berlin","enabled":true}`)
}

func inbound(more string) string {
	return trigger(`,"inboundWebhook":{"authMode":"hmac","secret":"0123456789abcdef"` + more + `}`)
}

func times(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

func TestShape(t *testing.T) {
	t.Parallel()
	for _, each := range slices.Concat(shapes...) {
		_, issues := Parse([]byte(each.text), Options{Receiver: refuse, Step: refuse})
		for _, i := range issues {
			assert.NotEmpty(t, i.Message)
		}
		assert.ElementsMatch(t, each.want, issueLines(issues), "%.300s", each.text)
	}
}

func manyNodes(n int) string {
	return graph(mocks(repeated(n, func(i int) string { return fmt.Sprint("n", i) })...), nil, nil)
}

func repeated(n int, f func(i int) string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

// refuse stands for the guard.
func refuse(raw string) error {
	if strings.Contains(raw, "refused") {
		return errors.New("the address is refused")
	}
	return nil
}

func TestIssuesStandInTheOrderOfTheDocument(t *testing.T) {
	t.Parallel()
	text := `{"edges":[{"from":"a","to":"gone"}],"nodes":[{"config":{"reviewerIds":["u","u"]},"slaMs":1,"type":"human","nodeId":"a"}],
"custom":1,"tags":[2],"name":"","triggers":[{"triggerId":""}]}`
	require.Equal(t, []string{
		"required at definitionId", "dangling-edge at edges.0.to", "APPROVAL_HUMAN_NODE_REQUIRES_REJECT_PATH at nodes.0",
		"duplicate at nodes.0.config.reviewerIds.1", "range at nodes.0.slaMs", "type at custom", "type at tags.0", "length at name",
		"pattern at triggers.0.triggerId",
	}, issuesAt(text))
}

func TestAtMost200Issues(t *testing.T) {
	t.Parallel()
	keys := strings.Join(repeated(5000, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }), ",")
	_, issues := full(with("," + keys))
	require.Len(t, issues, fault.MaxIssues)
	require.Equal(t, []string{"k0"}, issues[0].Path)
}

func TestUpdateWantsIfVersion(t *testing.T) {
	t.Parallel()
	for more, want := range map[string][]string{
		``:                         {"required at ifVersion"},
		`,"ifVersion":null`:        {"required at ifVersion"},
		`,"ifVersion":0`:           {"range at ifVersion"},
		`,"ifVersion":"1"`:         {"type at ifVersion"},
		`,"ifVersion":99999999999`: {"range at ifVersion"},
	} {
		_, issues := Parse([]byte(with(more)), Options{Update: true})
		require.Equal(t, want, []string{issues[0].Code + " at " + issues[0].Path[0]}, more)
		require.Len(t, issues, 1)
	}
	d, issues := Parse([]byte(with(`,"ifVersion":3`)), Options{Update: true})
	require.Empty(t, issues)
	require.Equal(t, 3, d.IfVersion)
	require.Nil(t, d.Receiver)
	require.False(t, d.ClearsReceiver)
	d, issues = Parse([]byte(with(`,"ifVersion":3,"webhookConfig":null`)), Options{Update: true})
	require.Empty(t, issues)
	require.True(t, d.ClearsReceiver)
}

func TestSecretsStayOutOfTheSnapshot(t *testing.T) {
	t.Parallel()
	text := `{"definitionId":"abc","name":"n","nodes":[` + mock("a") + `],"edges":[],` +
		`"webhookConfig":{"url":"https://x.example.com","secret":"secret-of-receiver"},"triggers":[ {"triggerId":"x"},
		{"triggerId":"t", "inboundWebhook":{"secret":"secret-of-trigger-t", "authMode":"hmac" ,"provider":null}},
		{"triggerId":"u","inboundWebhook":{"authMode":"hmac","secret":"secret-of-trigger-u"},"eventName":"e"} ]}`
	d, issues := full(text)
	require.Empty(t, issues)
	require.NotContains(t, string(d.Snapshot), "secret-of")
	require.Equal(t, map[string]string{"t": "secret-of-trigger-t", "u": "secret-of-trigger-u"}, d.TriggerSecrets)
	require.Equal(t, &Receiver{URL: "https://x.example.com", Secret: "secret-of-receiver"}, d.Receiver)
	parts, err := PartsOf(d.Snapshot)
	require.NoError(t, err)
	require.JSONEq(t, `[{"triggerId":"x"},{"triggerId":"t","inboundWebhook":{"authMode":"hmac","provider":null}},
		{"triggerId":"u","inboundWebhook":{"authMode":"hmac"},"eventName":"e"}]`, string(parts.Triggers))

	view := with(`,"triggers":` + string(parts.Triggers))
	require.Equal(t, []string{
		"required at triggers.1.inboundWebhook.secret", "required at triggers.2.inboundWebhook.secret",
	}, issuesAt(view), "a view of get lacks them")
	_, issues = Parse([]byte(view), Options{TriggersWithSecret: []string{"t", "u"}})
	require.Empty(t, issues, "an update of the same triggers does not need them")
}

func TestPartsAreKeptByteForByte(t *testing.T) {
	t.Parallel()
	nodes := `[ {"config" : {"agentId":"__mock__"}, "type":"agent","nodeId":"\u0061"} ]`
	edges := "[\n\t{\"to\":\"b\" , \"from\":\"a\",\"on\":\"custom\",\"when\":\"{\\\"var\\\":\\\"output.<x>\\\"}\"}]"
	custom := `{"n":9007199254740993,"x":1.50E+2,"s":"\u00e9é<&>","d":{"a":{"a":{}}}}`
	text := `{"definitionId":"abc","name":"n","edges":` + edges + `,"custom":` + custom + `,"nodes":` + strings.Replace(nodes, "]", ","+mock("b")+"]", 1) + `}`
	d, issues := full("  \n" + text)
	require.Empty(t, issues)
	parts, err := PartsOf(d.Snapshot)
	require.NoError(t, err)
	require.Equal(t, edges, string(parts.Edges))
	require.Equal(t, custom, string(parts.Custom))
	require.Equal(t, strings.Replace(nodes, "]", ","+mock("b")+"]", 1), string(parts.Nodes))
	require.True(t, json.Valid(d.Snapshot))
}

func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	d, issues := full(hook(`,"mode":null`))
	require.Empty(t, issues)
	require.Equal(t, &Webhook{
		URL: "https://x.example.com/", Mode: "sync", Method: "POST", BodyTemplate: "envelope", AuthMode: "hmac", TimeoutMs: 10_000,
	}, d.Graph.Node("a").Webhook)
	d, issues = full(node("agent", `{"agentId":"x"}`, `"slaMs":1e3`))
	require.NotEmpty(t, issues, "an edge on reject takes no breach")
	require.Nil(t, d)
	d, issues = full(graph([]string{strings.Replace(mock("a"), `"type"`, `"slaMs":1e3,"type"`, 1)}, nil, nil))
	require.Empty(t, issues)
	require.Equal(t, int64(1000), d.Graph.Node("a").SLAMs)
	require.Equal(t, &Agent{AgentID: MockAgent, PollIntervalMs: 15_000, MaxRuntimeMs: 600_000}, d.Graph.Node("a").Agent)
	d, issues = full(node("human", `{"reviewerIds":["u","v"]}`))
	require.Empty(t, issues)
	require.Equal(t, []Reviewer{{"u", true}, {"v", true}}, d.Graph.Node("a").Human.Reviewers)
}

// wide writes 100 nodes in layers with 500 edges: the number of paths grows
// with the power of the layers.
func wide() string {
	nodes := repeated(100, func(i int) string {
		return strings.Replace(human(fmt.Sprint("n", i)), `["u"]`, `["u","v","w"]`, 1)
	})
	var edges []string
	for i := range 100 {
		for k := 1; k <= 5 && i+k < 100; k++ {
			edges = append(edges, wideEdge(i, k))
		}
	}
	nodes[99] = mock("n99")
	return graph(nodes, edges[:min(len(edges), 500)], nil)
}

func wideEdge(i, k int) string {
	from, to := fmt.Sprint("n", i), fmt.Sprint("n", i+k)
	if k == 3 {
		return edge(from, to, "custom", anyWhen)
	}
	return edge(from, to, []string{"reject", "approve", "", "always", "reject"}[k-1])
}

// Whoever walked every path would never come to an end; BenchmarkParse shows
// the time.
func TestManyPathsAreReadInTime(t *testing.T) {
	t.Parallel()
	_, issues := full(wide())
	require.Empty(t, issues)
}

func BenchmarkParse(b *testing.B) {
	text := wide()
	for b.Loop() {
		_, issues := full(text)
		require.Empty(b, issues)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(with(""))
	f.Add(wide())
	f.Add(trigger(`,"inboundWebhook":{"authMode":"hmac","secret":"0123456789abcdef"}`))
	f.Add(graph(mocks("a", "b"), []string{edge("a", "b", "always"), edge("b", "a", "reject", again)}, []string{group("g", "waitAll", 1, 1, "a")}))
	f.Add(`{"nodes":[[]],"edges":[null],"groups":[{"memberNodeIds":[null]}],"triggers":[{"schedule":{"cron":"* * * * *"}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		for _, o := range []Options{{}, {Update: true}} {
			d, issues := Parse([]byte(text), o)
			if (d == nil) != (len(issues) > 0) {
				t.Fatal("either a definition or issues")
			}
			if d == nil {
				continue
			}
			g, err := GraphOf(d.Snapshot)
			if err != nil {
				t.Fatal(err)
			}
			before, _ := json.Marshal(d.Graph.Compile())
			after, _ := json.Marshal(g.Compile())
			if string(before) != string(after) {
				t.Fatal("the stored graph differs")
			}
		}
	})
}
