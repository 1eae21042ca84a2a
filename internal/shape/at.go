package shape

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Tree is a JSON text that paths lead into. What is in it is read once, when the first path
// asks: thousands of paths may lead into a large text. A tree belongs to one goroutine; nil
// is what is not there.
type Tree struct {
	text     json.RawMessage
	read     bool
	elements []Tree
	members  map[string]*Tree
}

// TreeOf is the tree of a text, nil where the text is no JSON.
func TreeOf(text json.RawMessage) *Tree {
	if !json.Valid(text) {
		return nil
	}
	return &Tree{text: text}
}

// At is the value at the end of a path: keys of objects, spelt exactly, and digits for
// positions of arrays, with dots between them. Nil where there is none; of several equal
// keys the last one counts.
func (t *Tree) At(path string) *Tree {
	for key := range strings.SplitSeq(path, ".") {
		if t = t.child(key); t == nil {
			return nil
		}
	}
	return t
}

// Text is the value as it was written, nil where there is none.
func (t *Tree) Text() json.RawMessage {
	if t == nil {
		return nil
	}
	return t.text
}

// At is the value at the end of a path into a JSON text, numbers and spelling as they
// were. Nil where there is none.
func At(text json.RawMessage, path string) json.RawMessage { return TreeOf(text).At(path).Text() }

func (t *Tree) child(key string) *Tree {
	if t == nil {
		return nil
	}
	t.open()
	if t.members != nil {
		return t.members[key]
	}
	if i, ok := Position(key); ok && i < len(t.elements) {
		return &t.elements[i]
	}
	return nil
}

// open reads what is in the text.
func (t *Tree) open() {
	if t.read {
		return
	}
	t.read = true
	var elements []json.RawMessage
	if json.Unmarshal(t.text, &elements) == nil {
		t.elements = make([]Tree, len(elements))
		for i, text := range elements {
			t.elements[i].text = text
		}
		return
	}
	t.members = map[string]*Tree{}
	for _, pair := range MembersOf(t.text) {
		t.members[pair.Name] = &Tree{text: pair.Value}
	}
}

// Position reads a part of a path that has digits only, as those of positions in arrays do.
func Position(key string) (int, bool) {
	for _, c := range key {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	i, err := strconv.Atoi(key)
	return i, err == nil
}
