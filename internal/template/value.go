package template

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/redline-svc/redline/internal/shape"
)

// values are the roots, and what stands for the values in them once a path has asked.
type values struct {
	roots map[string]*shape.Tree
	shown map[*shape.Tree]string
}

func valuesOf(roots Roots) *values {
	v := &values{roots: make(map[string]*shape.Tree, len(roots)), shown: map[*shape.Tree]string{}}
	for name, text := range roots {
		v.roots[name] = shape.TreeOf(text)
	}
	return v
}

// at is what stands for a path in a text: nothing for null and for what is not there, a
// text as it is, every other value as JSON.
func (v *values) at(path string) string {
	root, rest, deeper := strings.Cut(path, ".")
	found := v.roots[root]
	if deeper {
		found = found.At(rest)
	}
	shown, known := v.shown[found]
	if !known {
		shown = shownOf(found.Text())
		v.shown[found] = shown
	}
	return shown
}

func shownOf(text json.RawMessage) string {
	var word *string
	if json.Unmarshal(text, &word) == nil {
		if word == nil {
			return ""
		}
		return *word
	}
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return ""
	}
	return out.String()
}
