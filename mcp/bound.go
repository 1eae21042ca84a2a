package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

const (
	// maxBytes is how many bytes of JSON a result may have: some 8,000 tokens.
	maxBytes = 32 << 10
	// cutText is how long a text may be, in bytes, where a result is larger.
	cutText = 2000
)

// answer is what a tool answers with.
type answer struct {
	Result any    `json:"result" jsonschema:"what was found or done"`
	Next   string `json:"next,omitempty" jsonschema:"send it as cursor for the next page; absent on the last"`
	Hint   string `json:"hint,omitempty" jsonschema:"what is left out here, and how to read it"`
}

// page is one page of a list, with what goes on; next is empty on the last one.
type page[T any] struct {
	items []T
	next  string
}

// paged reads a page of n items, or of fewer where so many are too large.
func paged[T any](n int64, read func(n int64) (page[T], error)) (answer, error) {
	for ; ; n = max(1, n/2) {
		found, err := read(n)
		if err != nil {
			return answer{}, err
		}
		if n > 1 && size(found.items) > maxBytes {
			continue
		}
		a := answer{Result: found.items, Next: found.next}
		if a.Next != "" {
			a.Hint = "there are more: call again with cursor set to next, all else the same"
		}
		return a.cut(), nil
	}
}

// best is a list, the best first, of which the last ones are left out where it is too large.
func best[T any](items []T) answer {
	kept := len(items)
	for kept > 1 && size(items[:kept]) > maxBytes {
		kept--
	}
	a := answer{Result: items[:kept]}
	if kept < len(items) {
		a.Hint = fmt.Sprintf("%d more were found and left out: ask for something narrower, or with a smaller limit", len(items)-kept)
	}
	return a.cut()
}

// cut shortens the texts of a result that is too large, and where that is not enough the whole.
func (a answer) cut() answer {
	if size(a.Result) <= maxBytes {
		return a
	}
	decoder := json.NewDecoder(bytes.NewReader(text(a.Result)))
	decoder.UseNumber()
	var whole any
	_ = decoder.Decode(&whole) // it was written just now
	a.Result = shortened(whole)
	a.add(fmt.Sprintf("texts of more than %d bytes end with … here", cutText))
	if size(a.Result) > maxBytes {
		a.Result = clip(string(text(a.Result)), maxBytes/2)
		a.add("the result is cut off and no JSON any more: ask for less of it")
	}
	return a
}

func (a *answer) add(hint string) {
	if a.Hint != "" {
		a.Hint += "; "
	}
	a.Hint += hint
}

// shortened cuts all long texts in a JSON value.
func shortened(value any) any {
	switch value := value.(type) {
	case string:
		return clip(value, cutText)
	case []any:
		for i := range value {
			value[i] = shortened(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = shortened(value[key])
		}
	}
	return value
}

// clip returns as much of a text as has so many bytes, whole characters only.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

func size(value any) int { return len(text(value)) }

// text is a value of ours as JSON.
func text(value any) []byte {
	written, _ := json.Marshal(value) // made of what was read as JSON
	return written
}
