package predicate

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Expr is a parsed `when`. It never changes after Parse, so many goroutines may
// evaluate it at once.
type Expr struct {
	top  node
	text string
	// instructions are those of its patterns.
	instructions int
}

// Instructions returns how many the patterns of the expression have, by which what it costs
// grows: at most MaxProgram.
func (e *Expr) Instructions() int { return e.instructions }

// String returns the text that was parsed.
func (e *Expr) String() string { return e.text }

// Eval reports whether the edge fires: whether the expression yields boolean
// true. It never fails; what cannot be read counts as null.
func (e *Expr) Eval(roots Roots) bool {
	return e.top.eval(roots.reader()) == true
}

// Names reports whether the expression reads the path and has the text as a
// literal, anywhere in it.
func (e *Expr) Names(path, text string) bool {
	var read, literal bool
	e.top.visit(func(n node) {
		switch n := n.(type) {
		case *variable:
			read = read || n.text == path
		case constant:
			literal = literal || n.value == text
		}
	})
	return read && literal
}

// MarshalJSON returns the syntax tree in the notation of the language itself, as
// it stands in compiled.forwardEdges[].when. Numbers keep their spelling.
func (e *Expr) MarshalJSON() ([]byte, error) { return encode(e.top.tree()) }

// node is one value of an expression.
type node interface {
	eval(r *reader) any
	visit(f func(node))
	// tree is the node as data that encodes to its own notation.
	tree() any
}

// constant is a string, *number, bool, nil or a []any of these.
type constant struct{ value any }

func (c constant) eval(*reader) any { return c.value }
func (c constant) tree() any        { return c.value }

func (c constant) visit(f func(node)) {
	f(c)
	if list, ok := c.value.([]any); ok {
		for _, v := range list {
			constant{v}.visit(f)
		}
	}
}

// variable reads one of the roots.
type variable struct {
	root root
	path string // below the root; empty for the root itself
	text string
}

func (v *variable) eval(r *reader) any { return r.at(v.root, v.path) }
func (v *variable) visit(f func(node)) { f(v) }
func (v *variable) tree() any {
	return struct {
		Var string `json:"var"`
	}{v.text}
}

// call is an operator with its arguments.
type call struct {
	name string
	op   operator
	args []node
	// text is the call in its own notation.
	text string
	// pattern is that of regex, compiled, and the size of its program.
	pattern      *regexp.Regexp
	instructions int
}

func (c *call) eval(r *reader) any { return c.op.eval(r, c) }

func (c *call) visit(f func(node)) {
	f(c)
	for _, a := range c.args {
		a.visit(f)
	}
}

func (c *call) tree() any {
	args := make([]any, len(c.args))
	for i, a := range c.args {
		args[i] = a.tree()
	}
	return struct {
		Op   string `json:"op"`
		Args []any  `json:"args"`
	}{c.name, args}
}

// encode writes JSON without the escapes for HTML, which would change strings.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(out.String(), "\n")), nil
}
