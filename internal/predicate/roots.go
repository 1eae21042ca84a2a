package predicate

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// root is one of the things that an expression may read.
type root int

const (
	outputRoot root = iota
	stepRoot
	inputRoot
	rootCount
)

// Roots is what one decision lets its edges read, each a JSON text. An empty or
// damaged text reads as null.
type Roots struct {
	// Output is the output of the edge's source; of a group the collective one.
	Output json.RawMessage
	// Step is {stepId, nodeId, status, retryCount, iteration, attempt}.
	Step json.RawMessage
	// Input is the triggerContext of the execution.
	Input json.RawMessage

	cache *reader
}

// NewRoots gives roots that decode each text at most once however many
// expressions read them. Such roots belong to one goroutine.
func NewRoots(output, step, input json.RawMessage) Roots {
	r := Roots{Output: output, Step: step, Input: input}
	r.cache = r.reader()
	return r
}

// reader gives the shared reader, or a new one for this evaluation.
func (r Roots) reader() *reader {
	if r.cache != nil {
		return r.cache
	}
	return &reader{texts: [rootCount]json.RawMessage{r.Output, r.Step, r.Input}}
}

// reader decodes roots when they are first read.
type reader struct {
	texts   [rootCount]json.RawMessage
	decoded [rootCount]bool
	values  [rootCount]any
}

// root gives the decoded root, numbers as they were written.
func (r *reader) root(which root) any {
	if !r.decoded[which] {
		r.decoded[which] = true
		dec := json.NewDecoder(bytes.NewReader(r.texts[which]))
		dec.UseNumber()
		var value any
		if dec.Decode(&value) == nil {
			r.values[which] = value
		}
	}
	return r.values[which]
}

// lookup follows a path: keys of objects, and digits in arrays. What is not
// there is nil, exactly like null.
func lookup(value any, path []string) any {
	for _, key := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			i, ok := position(key)
			if !ok || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// position reads a path segment of digits only.
func position(key string) (int, bool) {
	for _, c := range key {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	i, err := strconv.Atoi(key)
	return i, err == nil
}
