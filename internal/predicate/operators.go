package predicate

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxOperands = 50       // arguments of and, or
	maxPattern  = 300      // characters of a pattern
	maxMatched  = 64 << 10 // bytes of a string that a pattern looks at
)

// MaxProgram is how many instructions the patterns of one expression may have, and those of all
// that are evaluated together. Matching takes text times instructions, and 33 repeats of 1,000
// fit into 300 characters: without a bound one decision, which happens inside a transaction,
// could take minutes. So its patterns take about a second of the processor at most.
const MaxProgram = 2000

// operator is a row of the operator table.
type operator struct {
	min, max int
	eval     func(r *reader, c *call) any
	// check finds what is wrong with the arguments besides their number.
	check func(c *call) error
}

// operators is the whole list; everything else is no operator.
var operators = map[string]operator{
	"eq":         {min: 2, max: 2, eval: once(pair(func(a, b any) any { return equal(a, b) }))},
	"ne":         {min: 2, max: 2, eval: once(pair(func(a, b any) any { return !equal(a, b) }))},
	"gt":         {min: 2, max: 2, eval: ordered(func(c int) bool { return c > 0 })},
	"gte":        {min: 2, max: 2, eval: ordered(func(c int) bool { return c >= 0 })},
	"lt":         {min: 2, max: 2, eval: ordered(func(c int) bool { return c < 0 })},
	"lte":        {min: 2, max: 2, eval: ordered(func(c int) bool { return c <= 0 })},
	"and":        {min: 1, max: maxOperands, eval: evalAnd},
	"or":         {min: 1, max: maxOperands, eval: evalOr},
	"not":        {min: 1, max: 1, eval: single(func(a any) any { return a != true })},
	"in":         {min: 2, max: 2, eval: once(evalIn)},
	"includes":   {min: 2, max: 2, eval: once(evalIncludes)},
	"startsWith": {min: 2, max: 2, eval: texts(strings.HasPrefix)},
	"endsWith":   {min: 2, max: 2, eval: texts(strings.HasSuffix)},
	"length":     {min: 1, max: 1, eval: once(single(length))},
	"isEmpty":    {min: 1, max: 1, eval: single(isEmpty)},
	"exists":     {min: 1, max: 1, eval: single(func(a any) any { return a != nil }), check: checkExists},
	"regex":      {min: 2, max: 2, eval: matches, check: checkPattern},
}

func single(f func(a any) any) func(*reader, *call) any {
	return func(r *reader, c *call) any { return f(c.args[0].eval(r)) }
}

func pair(f func(a, b any) any) func(*reader, *call) any {
	return func(r *reader, c *call) any { return f(c.args[0].eval(r), c.args[1].eval(r)) }
}

// once evaluates what may look at all of two long values once for all that are evaluated together.
func once(eval func(r *reader, c *call) any) func(*reader, *call) any {
	return func(r *reader, c *call) any {
		result, known := r.compared[c.text]
		if !known {
			result = eval(r, c)
			r.compared[c.text] = result
		}
		return result
	}
}

func texts(f func(a, b string) bool) func(*reader, *call) any {
	return pair(func(a, b any) any {
		x, first := a.(string)
		y, second := b.(string)
		return first && second && f(x, y)
	})
}

// ordered compares two numbers, or two strings by code point (which is the
// order of their bytes in UTF-8); any other pair is in no order.
func ordered(holds func(c int) bool) func(*reader, *call) any {
	return pair(func(a, b any) any {
		switch x := a.(type) {
		case *number:
			y, ok := b.(*number)
			return ok && holds(x.compare(y.decimal))
		case string:
			y, ok := b.(string)
			return ok && holds(strings.Compare(x, y))
		default:
			return false
		}
	})
}

func evalAnd(r *reader, c *call) any {
	for _, a := range c.args {
		if a.eval(r) != true {
			return false
		}
	}
	return true
}

func evalOr(r *reader, c *call) any {
	for _, a := range c.args {
		if a.eval(r) == true {
			return true
		}
	}
	return false
}

// equal is deep equality of decoded JSON; numbers are exact decimals.
func equal(a, b any) bool {
	switch x := a.(type) {
	case *number:
		y, ok := b.(*number)
		return ok && x.compare(y.decimal) == 0
	case []any:
		y, ok := b.([]any)
		return ok && equalLists(x, y)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && equalObjects(x, y)
	}
	switch b.(type) {
	case []any, map[string]any: // not comparable with ==
		return false
	}
	return a == b
}

func equalLists(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, there := b[key]
		if !there || !equal(value, other) {
			return false
		}
	}
	return true
}

func contains(list, value any) bool {
	elements, ok := list.([]any)
	if !ok {
		return false
	}
	for _, e := range elements {
		if equal(e, value) {
			return true
		}
	}
	return false
}

func evalIn(r *reader, c *call) any {
	return r.among(c.args[1], c.args[1].eval(r), c.args[0], c.args[0].eval(r))
}

func evalIncludes(r *reader, c *call) any {
	whole, part := c.args[0].eval(r), c.args[1].eval(r)
	text, ok := whole.(string)
	if !ok {
		return r.among(c.args[0], whole, c.args[1], part)
	}
	sub, ok := part.(string)
	return ok && strings.Contains(text, sub)
}

func length(a any) any {
	var n int
	switch v := a.(type) {
	case string:
		n = utf8.RuneCountInString(v)
	case []any:
		n = len(v)
	case map[string]any:
		n = len(v)
	default:
		return nil
	}
	return numberOf(strconv.Itoa(n))
}

func isEmpty(a any) any {
	switch v := a.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return false
	}
}

func checkExists(c *call) error {
	if _, ok := c.args[0].(*variable); !ok {
		return errors.New("exists takes one var")
	}
	return nil
}

// checkPattern compiles the pattern, which must stand in the text itself.
func checkPattern(c *call) error {
	literal, _ := c.args[1].(constant)
	pattern, ok := literal.value.(string)
	if !ok {
		return errors.New("the pattern of regex must be a literal string")
	}
	if utf8.RuneCountInString(pattern) > maxPattern {
		return fmt.Errorf("the pattern of regex is longer than %d characters", maxPattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return fmt.Errorf("the pattern of regex is faulty: %w", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return fmt.Errorf("the pattern of regex is faulty: %w", err)
	}
	c.instructions = len(program.Inst)
	c.pattern, err = regexp.Compile(pattern)
	return err
}

func matches(r *reader, c *call) any {
	text, ok := c.args[0].eval(r).(string)
	if !ok {
		return false
	}
	if len(text) > maxMatched {
		cut := maxMatched
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return c.pattern.MatchString(text)
}
