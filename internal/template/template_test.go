package template_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/template"
)

func roots() template.Roots {
	return template.Roots{
		"input": json.RawMessage(`{"rejectionReason":"<too> \"long\"","list":[1,{"a":"b"}],"n":9007199254740993,"none":null,"yes":true}`),
		"step":  json.RawMessage(`{"nodeId":"mail"}`),
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		template string
		form     template.Form
		want     string
	}{
		{"Because: {{input.rejectionReason}}.", template.Text, `Because: <too> "long".`},
		{"{{ input.rejectionReason }}", template.HTML, `&lt;too&gt; &#34;long&#34;`},
		{`["{{input.rejectionReason}}"]`, template.JSON, `["\u003ctoo\u003e \"long\""]`},
		{"{{input.n}} {{input.yes}} {{input.list.0}} {{input.list.1.a}}", template.Text, "9007199254740993 true 1 b"},
		{"{{input.list}}", template.Text, `[1,{"a":"b"}]`},
		{"<{{input.none}}{{input.missing}}{{nothing.at.all}}{{input.list.7}}>", template.Text, "<>"},
		{"{{step}} {{}} {{ a b }} {", template.Text, `{"nodeId":"mail"} {{}} {{ a b }} {`},
	} {
		filled, ok := template.Fill(c.template, roots(), c.form)
		require.True(t, ok)
		require.Equal(t, c.want, filled, c.template)
	}
}

func TestAFilledTextHasALimit(t *testing.T) {
	t.Parallel()
	large := template.Roots{"input": json.RawMessage(`{"a":"` + strings.Repeat("x", 60_000) + `"}`)}
	_, ok := template.Fill(strings.Repeat("{{input.a}}", 4), large, template.Text)
	require.True(t, ok)
	_, ok = template.Fill(strings.Repeat("{{input.a}}", 5), large, template.Text)
	require.False(t, ok)
}

// A value is never read as a template, and never leaves the text of a JSON document that
// it stands in.
func TestValuesStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`{{input.secret}}`, `"},{"`, `</p>`, "\\u0022"})).Draw(t, "value")
		text, err := json.Marshal(map[string]string{"a": value, "secret": "S"})
		require.NoError(t, err)
		var meant struct{ A string }
		require.NoError(t, json.Unmarshal(text, &meant))
		filled, _ := template.Fill(`{{input.a}}`, template.Roots{"input": text}, template.Text)
		require.Equal(t, meant.A, filled)
		filled, _ = template.Fill(`["{{input.a}}"]`, template.Roots{"input": text}, template.JSON)
		var read []string
		require.NoError(t, json.Unmarshal([]byte(filled), &read))
		require.Equal(t, []string{meant.A}, read)
	})
}

// Thousands of paths into a large text are as good as one: it is read once. Were it read
// for each, this would take a quarter of a minute.
func TestALargeTextIsReadOnce(t *testing.T) {
	t.Parallel()
	var members, paths strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&members, `"k%d":{"a":[1,2]},`, i)
	}
	for i := range 1_000 {
		fmt.Fprintf(&paths, "{{input.k%d.a.1}}{{input.x%d}}", i, i)
	}
	text := json.RawMessage(`{` + members.String() + `"last":null}`)
	filled, ok := template.Fill(paths.String(), template.Roots{"input": text}, template.Text)
	require.True(t, ok)
	require.Equal(t, strings.Repeat("2", 1_000), filled)
}
