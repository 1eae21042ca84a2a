package template_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/redline-svc/redline/internal/template"
	"github.com/redline-svc/redline/tests/kit/linear"
)

func TestLong_TextsAreFilledInLinearTime(t *testing.T) {
	for name, text := range map[string]string{
		"holes": "{{input.a}}", "a missing key": "{{input.b}}", "an open hole": "{{input.a", "braces": "{", "blanks": "{{ ", "spaces": " ",
		"closed": "}}", "half": "{{input.a} ", "deep": "{{input.list.0.a}}", "a whole root": "{{step}}",
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				long := strings.Repeat(text, n)
				from := template.Roots{"input": json.RawMessage(`{"a":"","list":[{"a":""}]}`), "step": json.RawMessage(`""`)}
				return func() { template.Fill(long, from, template.JSON) }
			})
		})
	}
	for name, value := range map[string]string{"a long text": `"%"`, "a long list": `[%1]`, "long keys": `{"%":1}`} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				from := template.Roots{"input": json.RawMessage(`{"a":` + strings.ReplaceAll(value, "%", strings.Repeat("1,", n)) + `}`)}
				return func() { template.Fill(strings.Repeat("{{input.b}}", n)+"{{input.a}}", from, template.HTML) }
			})
		})
	}
	t.Run("a long path", func(t *testing.T) {
		linear.Require(t, func(n int) func() {
			from := template.Roots{"input": json.RawMessage(strings.Repeat(`{"a":`, min(n, 4000)) + "1" + strings.Repeat("}", min(n, 4000)))}
			path := "{{input" + strings.Repeat(".a", n) + "}}"
			return func() { template.Fill(path, from, template.Text) }
		})
	})
}
