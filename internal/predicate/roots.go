package predicate

import (
	"encoding/json"
	"strings"

	"github.com/redline-svc/redline/internal/shape"
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

// NewRoots returns roots that read each text at most once however many
// expressions read them. Such roots belong to one goroutine.
func NewRoots(output, step, input json.RawMessage) Roots {
	r := Roots{Output: output, Step: step, Input: input}
	r.cache = r.reader()
	return r
}

// reader returns the shared reader, or a new one for this evaluation.
func (r Roots) reader() *reader {
	if r.cache != nil {
		return r.cache
	}
	return &reader{
		texts: [rootCount]json.RawMessage{r.Output, r.Step, r.Input}, decoded: map[*shape.Tree]any{}, compared: map[string]any{},
		lookups: map[string]*lookup{}, sums: map[string]uint64{},
	}
}

// reader reads roots when they are first asked for, and decodes what paths lead to: a text or a number by itself, and for what holds
// others the whole root once, since paths may lead into each other.
type reader struct {
	texts   [rootCount]json.RawMessage
	read    [rootCount]bool
	trees   [rootCount]*shape.Tree
	decoded map[*shape.Tree]any
	// compared are the results of comparisons by their texts: the edges of one source may ask thousands of times for the same.
	compared map[string]any
	// lookups are of the lists and sums of the values that are looked for in these, by their paths.
	lookups map[string]*lookup
	sums    map[string]uint64
}

// at returns the value that a path below a root leads to, numbers as they were written. What
// is not there is nil, exactly like null.
func (r *reader) at(which root, path string) any {
	if !r.read[which] {
		r.read[which], r.trees[which] = true, shape.TreeOf(r.texts[which])
	}
	if path == "" {
		return r.decode(r.trees[which])
	}
	at := r.trees[which].At(path)
	if text := at.Text(); len(text) > 0 && (text[0] == '[' || text[0] == '{') {
		return below(r.decode(r.trees[which]), path)
	}
	return r.decode(at)
}

// decode decodes a value once.
func (r *reader) decode(at *shape.Tree) any {
	value, known := r.decoded[at]
	if !known {
		value = Decode(at.Text()).decoded
		r.decoded[at] = value
	}
	return value
}

// below is the value to which a path leads that there is, as those of shape do.
func below(value any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch of := value.(type) {
		case map[string]any:
			value = of[key]
		case []any:
			i, _ := shape.Position(key)
			value = of[i]
		default: // nothing is below it
		}
	}
	return value
}
