package predicate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of an expression.
const (
	MaxText   = 1000 // characters
	MaxDepth  = 16   // values inside values, the top counted
	MaxValues = 200  // literals, elements of literal arrays, vars and ops
)

// stepFields are all that can be read of a step.
var stepFields = []string{"stepId", "nodeId", "status", "retryCount", "iteration", "attempt"}

// Parse reads a `when`. Everything that can be wrong with one is found here;
// the error is a sentence for the author of the definition.
func Parse(text string) (*Expr, error) {
	if utf8.RuneCountInString(text) > MaxText {
		return nil, fmt.Errorf("longer than %d characters", MaxText)
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("not valid UTF-8")
	}
	p := &parser{dec: json.NewDecoder(strings.NewReader(text))}
	p.dec.UseNumber()
	top, err := p.value(1)
	if err != nil {
		return nil, err
	}
	if _, literal := top.(constant); literal {
		return nil, errors.New("the top must be a var or an op")
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the expression")
	}
	return &Expr{top: top, text: text, instructions: p.instructions}, nil
}

// parser reads tokens, so nothing is built of a text that breaks a limit.
type parser struct {
	dec          *json.Decoder
	values       int
	instructions int // of all patterns
}

// token returns the next token; a fault of the JSON is one sentence whatever it is.
func (p *parser) token() (json.Token, error) {
	t, err := p.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("not valid JSON: it ends too early")
	}
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return t, nil
}

// value reads one value that is the depth-th from the top.
func (p *parser) value(depth int) (node, error) {
	t, err := p.token()
	if err != nil {
		return nil, err
	}
	return p.valueFrom(t, depth)
}

func (p *parser) valueFrom(t json.Token, depth int) (node, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("nested deeper than %d", MaxDepth)
	}
	if p.values++; p.values > MaxValues {
		return nil, fmt.Errorf("more than %d values", MaxValues)
	}
	switch t {
	case json.Delim('{'):
		return p.object(depth)
	case json.Delim('['):
		return p.array(depth)
	default:
		return constant{withNumbers(t)}, nil
	}
}

// array reads an array of literals after its opening bracket.
func (p *parser) array(depth int) (node, error) {
	list := []any{}
	err := p.elements(depth, func(n node) error {
		c, ok := n.(constant)
		if !ok {
			return errors.New("an array holds literals only")
		}
		list = append(list, c.value)
		return nil
	})
	return constant{list}, err
}

// elements reads values up to the closing bracket.
func (p *parser) elements(depth int, take func(node) error) error {
	for p.dec.More() {
		n, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		if err := take(n); err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

// object reads a var or an op after its opening brace.
func (p *parser) object(depth int) (node, error) {
	f := fields{}
	for p.dec.More() {
		t, err := p.token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if slices.Contains(f.keys, key) {
			return nil, fmt.Errorf("%q is given twice", key)
		}
		f.keys = append(f.keys, key)
		if err := p.field(&f, key, depth); err != nil {
			return nil, err
		}
	}
	if _, err := p.token(); err != nil {
		return nil, err
	}
	return p.node(f)
}

// fields is what was read of an object: the keys in order and their values.
type fields struct {
	keys    []string
	path    string
	op      string
	args    []node
	hasArgs bool
}

// field reads the value of one key.
func (p *parser) field(f *fields, key string, depth int) (err error) {
	switch key {
	case "var":
		f.path, err = p.text(key)
	case "op":
		f.op, err = p.text(key)
	case "args":
		f.hasArgs = true
		f.args, err = p.args(depth)
	default:
		err = fmt.Errorf("%q is no key of an expression: use var, or op with args", key)
	}
	return err
}

func (p *parser) text(key string) (string, error) {
	t, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("%s must be a string", key)
	}
	return s, nil
}

func (p *parser) args(depth int) ([]node, error) {
	t, err := p.token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('[') {
		return nil, errors.New("args must be an array")
	}
	var args []node
	err = p.elements(depth, func(n node) error {
		args = append(args, n)
		return nil
	})
	return args, err
}

// node makes the var or the op of the fields.
func (p *parser) node(f fields) (node, error) {
	has := func(key string) bool { return slices.Contains(f.keys, key) }
	switch {
	case has("var") && len(f.keys) == 1:
		return newVariable(f.path)
	case has("op") && f.hasArgs && len(f.keys) == 2:
		return p.newCall(f.op, f.args)
	default:
		return nil, errors.New("an object must be {var} or {op, args}")
	}
}

func (p *parser) newCall(name string, args []node) (node, error) {
	op, ok := operators[name]
	if !ok {
		return nil, fmt.Errorf("%q is no operator", name)
	}
	if n := len(args); n < op.min || n > op.max {
		return nil, fmt.Errorf("%s takes %s, not %d", name, count(op.min, op.max), n)
	}
	c := &call{name: name, op: op, args: args}
	if op.check != nil {
		if err := op.check(c); err != nil {
			return nil, err
		}
	}
	if p.instructions += c.instructions; p.instructions > MaxProgram {
		return nil, errors.New("the patterns of regex repeat too much")
	}
	text, err := encode(c.tree())
	c.text = string(text)
	return c, err
}

func count(low, high int) string {
	if low == high {
		return fmt.Sprintf("%d arguments", low)
	}
	return fmt.Sprintf("%d to %d arguments", low, high)
}

// newVariable reads a path: a root and, after dots, keys and positions.
func newVariable(text string) (node, error) {
	parts := strings.Split(text, ".")
	if slices.Contains(parts, "") {
		return nil, fmt.Errorf("the path %q has an empty part", text)
	}
	switch {
	case parts[0] == "output":
		return &variable{outputRoot, strings.Join(parts[1:], "."), text}, nil
	case parts[0] == "step":
		if len(parts) == 2 && slices.Contains(stepFields, parts[1]) {
			return &variable{stepRoot, parts[1], text}, nil
		}
		return nil, fmt.Errorf("%q: of a step only %s can be read", text, strings.Join(stepFields, ", "))
	case len(parts) > 1 && parts[0] == "execution" && (parts[1] == "input" || parts[1] == "triggerContext"):
		return &variable{inputRoot, strings.Join(parts[2:], "."), text}, nil
	default:
		return nil, fmt.Errorf("%q: a path begins with output, step or execution.input", text)
	}
}
