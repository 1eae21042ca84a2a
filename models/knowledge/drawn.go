package knowledge

import (
	"encoding/json"
	"fmt"

	"github.com/redline-svc/redline/internal/chunk"
	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/rules"
)

// maxChunks is how many chunks a source may have.
const maxChunks = 20_000

// CurrentMakers are those of this program.
func CurrentMakers() Makers {
	return Makers{Converter: extract.Version, Chunker: chunk.Version, Rules: rules.Version}
}

// DrawChunks returns the chunks of a canonical markdown in their order. Errors: an
// *extract.Failure of a text that has none, or too many.
func DrawChunks(text string) ([]StoredChunk, error) {
	split := chunk.Split(text)
	switch {
	case len(split) == 0:
		return nil, extract.Fail(extract.Empty, "The file holds no text.")
	case len(split) > maxChunks:
		return nil, extract.Fail(extract.TooLarge, fmt.Sprintf("The text has %d chunks; %d are taken.", len(split), maxChunks))
	}
	rows := make([]StoredChunk, len(split))
	for n, c := range split {
		rows[n] = StoredChunk{Path: c.Path, Content: c.Text, Tokens: c.Tokens}
	}
	return rows, nil
}

// rulesMetadata is what the metadata of a version says about its rules; what does
// not apply is left out.
type rulesMetadata struct {
	Skipped   int  `json:"rulesSkipped,omitempty"`
	Truncated bool `json:"rulesTruncated,omitempty"`
}

// DrawnRules are the rules of a text in their order, each with an id of its own, and what the
// version's metadata says about them, a JSON object.
type DrawnRules struct {
	Rules    []StoredRule    `json:"rules"`
	Metadata json.RawMessage `json:"metadata"`
}

// DrawRules returns the rules of a canonical markdown.
func DrawRules(text string) (DrawnRules, error) {
	found := rules.Extract(text)
	rows := make([]StoredRule, len(found.Rules))
	for n, r := range found.Rules {
		rows[n] = StoredRule{ID: id.New(id.Rule), Content: r.Content, Category: r.Category, Identity: r.Identity[:]}
	}
	metadata, err := json.Marshal(rulesMetadata{Skipped: found.Skipped, Truncated: found.Truncated})
	return DrawnRules{rows, metadata}, err
}

// Drawn is what is drawn from a markdown: its canonical form, and of that the chunks and the
// rules.
type Drawn struct {
	Markdown string        `json:"markdown"`
	Chunks   []StoredChunk `json:"chunks"`
	DrawnRules
}

// Draw draws all from a markdown. Error: an *extract.Failure of a text that cannot be a source.
func Draw(text string) (d Drawn, err error) {
	document, err := extract.Markdown(text)
	if err != nil {
		return d, err
	}
	d.Markdown = document.Markdown
	if d.Chunks, err = DrawChunks(d.Markdown); err == nil {
		d.DrawnRules, err = DrawRules(d.Markdown)
	}
	return d, err
}
