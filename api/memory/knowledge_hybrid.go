package memory

import (
	"strings"

	"github.com/redline-svc/redline/internal/highlight"
	"github.com/redline-svc/redline/models/search"
)

// Highlight is a part of a text, in UTF-16 code units as JavaScript counts: from start up
// to end, which is behind it.
type Highlight struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

func highlights(question, text string) *[]Highlight {
	found := []Highlight{} // an item without any has an empty list
	for _, r := range highlight.Ranges(question, text) {
		found = append(found, Highlight(r))
	}
	return &found
}

// degraded names what an answer had to do without: keywords where words alone answered,
// meaning where vectors alone did, recency where neither did.
func degraded(found *search.Found) string {
	var how []string
	for _, part := range []struct {
		is   bool
		name string
	}{{found.WithoutMeaning, "keywords"}, {found.WithoutWords, "meaning"}, {found.Degraded, "recency"}} {
		if part.is {
			how = append(how, part.name)
		}
	}
	return strings.Join(how, ", ")
}
