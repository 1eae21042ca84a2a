package shape

import (
	"fmt"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bounds are inclusive; nil is no bound.
type bounds struct{ min, max *int }

// check notes a size outside the bounds, in words of the unit.
func (b bounds) check(r *reader, size int, code, unit string) bool {
	switch {
	case b.min != nil && size < *b.min:
		r.fault(code, fmt.Sprintf("must have at least %d %s", *b.min, unit))
	case b.max != nil && size > *b.max:
		r.fault(code, fmt.Sprintf("must have at most %d %s", *b.max, unit))
	default:
		return true
	}
	return false
}

// form is a named check beyond a pattern.
type form struct {
	code, message string
	ok            func(string) bool
}

// formats are the values of the tag `format` that are checked. huma's own
// check of "uri" accepts nearly anything, hence names of our own.
var formats = map[string]*form{
	"http-url":  {Format, "must be an absolute http or https URL", httpURL},
	"caller-id": {Pattern, "must not have control characters", noControl},
}

func httpURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func noControl(text string) bool { return strings.IndexFunc(text, unicode.IsControl) < 0 }

type stringNode struct {
	size     bounds
	notBlank bool
	pattern  *regexp.Regexp
	enum     []string
	form     *form
	maxBytes int
}

func (n *stringNode) read(r *reader, into reflect.Value) {
	if r.peek() != '"' {
		r.mismatch("a string")
		return
	}
	literal := r.skip()
	text := unquote(literal)
	if unstorable(literal, text) {
		r.fault(Format, unstorableText)
		return
	}
	if value := string(text); n.check(r, value) {
		into.SetString(value)
	}
}

// check notes the first rule that value breaks.
func (n *stringNode) check(r *reader, value string) bool {
	switch {
	case len(n.enum) > 0 && !slices.Contains(n.enum, value):
		r.fault(Enum, "must be one of "+strings.Join(n.enum, ", "))
	case n.notBlank && Unblank(value) == "":
		r.fault(Length, "must not be empty")
	case !n.size.check(r, utf8.RuneCountInString(value), Length, "characters"):
	case n.maxBytes > 0 && len(value) > n.maxBytes:
		r.fault(Length, fmt.Sprintf("must be at most %d bytes", n.maxBytes))
	case n.pattern != nil && !n.pattern.MatchString(value):
		r.fault(Pattern, "must match "+n.pattern.String())
	case n.form != nil && !n.form.ok(value):
		r.fault(n.form.code, n.form.message)
	default:
		return true
	}
	return false
}

type boolNode struct{}

func (boolNode) read(r *reader, into reflect.Value) {
	if c := r.peek(); c != 't' && c != 'f' {
		r.mismatch("true or false")
		return
	}
	into.SetBool(r.skip()[0] == 't')
}

// isNumber finds by its first byte whether the next value is a number.
func (s *scanner) isNumber() bool {
	c := s.peek()
	return c == '-' || c >= '0' && c <= '9'
}

// exact is the largest integer up to which a float64 has all of them.
const exact = 1 << 53

type intNode struct{ minimum, maximum *float64 }

func (n *intNode) read(r *reader, into reflect.Value) {
	if !r.isNumber() {
		r.mismatch("an integer")
		return
	}
	text := string(r.skip())
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		// The same integer may be written as 5.0 or 1e2.
		f, ferr := strconv.ParseFloat(text, 64)
		if ferr == nil && f != math.Trunc(f) {
			r.fault(Type, "must be an integer")
			return
		}
		if ferr != nil || math.Abs(f) > exact {
			r.fault(Range, "is outside the range of integers")
			return
		}
		value = int64(f)
	}
	if into.OverflowInt(value) {
		r.fault(Range, "is outside the range of integers")
	} else if inRange(r, float64(value), n.minimum, n.maximum) {
		into.SetInt(value)
	}
}

type floatNode struct{ minimum, maximum *float64 }

func (n *floatNode) read(r *reader, into reflect.Value) {
	if !r.isNumber() {
		r.mismatch("a number")
		return
	}
	value, err := strconv.ParseFloat(string(r.skip()), 64)
	if err != nil {
		r.fault(Range, "is outside the range of numbers")
	} else if inRange(r, value, n.minimum, n.maximum) {
		into.SetFloat(value)
	}
}

func inRange(r *reader, value float64, minimum, maximum *float64) bool {
	switch {
	case minimum != nil && value < *minimum:
		r.fault(Range, "must be at least "+strconv.FormatFloat(*minimum, 'f', -1, 64))
	case maximum != nil && value > *maximum:
		r.fault(Range, "must be at most "+strconv.FormatFloat(*maximum, 'f', -1, 64))
	default:
		return true
	}
	return false
}

// Unblank is nothing for a text of white space alone, which counts as empty, and any other
// text as it is.
func Unblank(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}
