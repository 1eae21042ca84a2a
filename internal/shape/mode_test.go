package shape_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/shape"
)

// selection is a request that says by its fields what is meant.
type selection struct {
	ID      string   `json:"id,omitempty" selector:"true"`
	IDs     []string `json:"ids,omitempty" minLength:"1" selector:"true"`
	All     bool     `json:"all,omitempty"`
	Filters []filter `json:"filters,omitempty" closed:"true"`
	Written written  `json:"written,omitempty"`
}

type filter struct {
	Key string `json:"key"`
}

type written struct {
	Name string   `json:"name,omitempty"`
	Tags []string `json:"tags,omitempty"`
	Of   []filter `json:"of,omitempty" closed:"true"`
}

var selections = compile(selection{})

func readSelection(text string, mode shape.Mode) shape.Report {
	return selections.Read([]byte(text), new(selection), mode)
}

func TestUnknownKeysByMode(t *testing.T) {
	const text = `{"x":1,"filters":[{"key":"a","y":2}],"written":{"z":3,"of":[{"key":"b","w":4}]}}`
	require.Empty(t, faults(readSelection(text, shape.Open)))
	for _, mode := range []shape.Mode{shape.Listing, shape.Selecting} {
		report := readSelection(text, mode)
		require.Equal(t, []string{"unknown-key x", "unknown-key filters.0.y"}, faults(report), "what is written has keys of its own")
		require.Equal(t, [][]string{{"written", "z"}, {"written", "of", "0", "w"}}, report.Ignored)
	}
	require.Equal(t, []string{"unknown-key x", "unknown-key filters.0.y", "unknown-key written.z", "unknown-key written.of.0.w"}, faults(readSelection(text, shape.Closed)))
}

func TestASelectorMustSelect(t *testing.T) {
	for text, want := range map[string][]string{
		`{"id":null}`:             {"count id"},
		`{"ids":null}`:            {"count ids"},
		`{"ids":[]}`:              {"count ids"},
		`{"ids":[],"id":null}`:    {"count ids", "count id"},
		`{"ids":["a"],"id":"b"}`:  nil,
		`{"all":null}`:            nil,
		`{"written":{"tags":[]}}`: nil,
	} {
		require.Equal(t, want, faults(readSelection(text, shape.Selecting)), text)
		require.Empty(t, faults(readSelection(text, shape.Listing)), text)
		require.Empty(t, faults(readSelection(text, shape.Open)), text)
	}
}
