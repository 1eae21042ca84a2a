package template

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/redline-svc/redline/internal/shape"
)

// value is a JSON text that paths lead to and through. What is in it is read once, when
// the first path asks: a template may name thousands of paths into a large text.
type value struct {
	text json.RawMessage
	// below are the values in it by their keys or positions, read says that they are
	// known; shown is what stands for the value in a text, once somebody asked.
	below map[string]*value
	read  bool
	shown *string
}

// at is the value at the end of a path, nil where there is none. Of several equal keys
// the first one counts.
func (v *value) at(path string) *value {
	for key := range strings.SplitSeq(path, ".") {
		if v = v.members()[key]; v == nil {
			return nil
		}
	}
	return v
}

func (v *value) members() map[string]*value {
	if v.read {
		return v.below
	}
	v.read, v.below = true, map[string]*value{}
	var elements []json.RawMessage
	if json.Unmarshal(v.text, &elements) == nil {
		for i, text := range elements {
			v.below[strconv.Itoa(i)] = &value{text: text}
		}
		return v.below
	}
	for _, pair := range shape.MembersOf(v.text) {
		if v.below[pair.Name] == nil {
			v.below[pair.Name] = &value{text: pair.Value}
		}
	}
	return v.below
}

// String is what stands for the value in a text: nothing for null and for what is not
// there, a text as it is, every other value as JSON.
func (v *value) String() string {
	if v == nil {
		return ""
	}
	if v.shown == nil {
		shown := shownOf(v.text)
		v.shown = &shown
	}
	return *v.shown
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
