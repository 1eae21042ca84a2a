package shape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/redline-svc/redline/internal/shape"
)

func TestPathsIntoAText(t *testing.T) {
	t.Parallel()
	const text = ` {"a":{"B":[1, {"c" : 1e400}]}, "n":null,"a\u00e9":"x","twice":1,"twice":2,"0":"zero","":{"x":1}}`
	for path, want := range map[string]string{
		"a.B": `[1, {"c" : 1e400}]`, "a.B.1.c": `1e400`, "a.B.0": `1`, "a.B.01": `{"c" : 1e400}`, "n": `null`, "aé": `"x"`, "twice": `2`, "0": `"zero"`, ".x": `1`,
		"a.b": "", "a.B.2": "", "a.B.-1": "", "a.B.+1": "", "a.B.": "", "a.B.1.c.d": "", "n.x": "", "A": "", "": `{"x":1}`, "a.B.99999999999999999999": "",
	} {
		assert.Equal(t, want, string(shape.At(json.RawMessage(text), path)), path)
	}
	for _, damaged := range []string{"", "{", `{"a":1} x`, strings.Repeat("[", 20_000)} {
		assert.Nil(t, shape.TreeOf(json.RawMessage(damaged)))
		assert.Nil(t, shape.At(json.RawMessage(damaged), "a"))
	}
}

// What a tree has read it does not read again.
func TestATreeIsReadOnce(t *testing.T) {
	t.Parallel()
	text := []byte(`{"a":{"b":"c"}}`)
	tree := shape.TreeOf(text)
	first := tree.At("a.b")
	assert.Same(t, first, tree.At("a").At("b"))
	assert.JSONEq(t, `"c"`, string(first.Text()))
}
