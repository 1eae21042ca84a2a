package definition

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Patterns of ids.
var (
	definitionIDPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{2,63}$`)
	triggerIDPattern    = regexp.MustCompile(`^[A-Za-z0-9:_.-]{1,128}$`)
	agentIDPattern      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$`)
)

// textRule says what a string must be. Lengths are in characters; max zero
// means no limit.
type textRule struct {
	min, max int
	pattern  *regexp.Regexp
	// plain forbids control characters.
	plain bool
}

// id is the rule of ids that the caller chooses freely.
func idRule(longest int) textRule { return textRule{min: 1, max: longest, plain: true} }

// need gives the member, or an issue if it is not there.
func (o *object) need(key string) (value, bool) {
	v, ok := o.members[key]
	if !ok {
		o.fault(key, "required", "is required")
	}
	return v, ok
}

// text reads an optional string; ok says that it is there and right.
func (o *object) text(key string, rule textRule) (string, bool) {
	v, there := o.members[key]
	if !there {
		return "", false
	}
	return o.p.textOf(v, rule)
}

// needText reads a required string.
func (o *object) needText(key string, rule textRule) (string, bool) {
	v, there := o.need(key)
	if !there {
		return "", false
	}
	return o.p.textOf(v, rule)
}

func (p *parser) textOf(v value, rule textRule) (string, bool) {
	s, ok := v.text()
	if !ok {
		p.report(v, "type", "must be a string")
		return "", false
	}
	n := utf8.RuneCountInString(s)
	switch {
	case n < rule.min || (rule.max > 0 && n > rule.max):
		p.report(v, "length", "must have "+between(rule.min, rule.max, "characters"))
	case rule.pattern != nil && !rule.pattern.MatchString(s):
		p.report(v, "pattern", "must match "+rule.pattern.String())
	case rule.plain && strings.ContainsFunc(s, unicode.IsControl):
		p.report(v, "pattern", "must not have control characters")
	case strings.ContainsRune(s, 0):
		// No text of ours holds it, and Postgres refuses it in columns.
		p.report(v, "pattern", "must not have the character U+0000")
	default:
		return s, true
	}
	return "", false
}

// between says a range in words.
func between(low, high int, of string) string {
	switch {
	case high == 0:
		return fmt.Sprintf("at least %d %s", low, of)
	case low == 0:
		return fmt.Sprintf("at most %d %s", high, of)
	default:
		return fmt.Sprintf("%d to %d %s", low, high, of)
	}
}

// word reads an optional string of a list; the first word is the default.
func (o *object) word(key string, words ...string) (string, bool) {
	v, there := o.members[key]
	if !there {
		return words[0], true
	}
	return o.p.wordOf(v, words...)
}

// needWord reads a required string of a list.
func (o *object) needWord(key string, words ...string) (string, bool) {
	v, there := o.need(key)
	if !there {
		return "", false
	}
	return o.p.wordOf(v, words...)
}

func (p *parser) wordOf(v value, words ...string) (string, bool) {
	s, ok := v.text()
	if !ok {
		p.report(v, "type", "must be a string")
		return "", false
	}
	if !slices.Contains(words, s) {
		p.report(v, "enum", "must be one of "+strings.Join(words, ", "))
		return "", false
	}
	return s, true
}

// integer reads an optional whole number of a range.
func (o *object) integer(key string, low, high int64) (int64, bool) {
	v, there := o.members[key]
	if !there {
		return 0, false
	}
	n, ok := o.p.integerOf(v)
	if ok && (n < low || n > high) {
		o.p.report(v, "range", fmt.Sprintf("must be %d to %d", low, high))
		return 0, false
	}
	return n, ok
}

// longestInteger is how long the spelling of a whole number may be: exponents
// that would have to be written out are no whole numbers here.
const longestInteger = 20

// integerOf reads a whole number in any spelling (1000, 1000.0, 1e3).
func (p *parser) integerOf(v value) (int64, bool) {
	if c := v.kind(); c != '-' && (c < '0' || c > '9') {
		p.report(v, "type", "must be an integer")
		return 0, false
	}
	var n json.Number
	if json.Unmarshal(v.raw, &n) == nil && len(v.raw) <= longestInteger {
		if whole, err := n.Int64(); err == nil {
			return whole, true
		}
		if f, err := n.Float64(); err == nil && f >= -1e15 && f <= 1e15 {
			if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() {
				return r.Num().Int64(), true
			}
		}
	}
	p.report(v, "type", "must be an integer")
	return 0, false
}

// boolean reads an optional boolean.
func (o *object) boolean(key string) (is, there bool) {
	v, there := o.members[key]
	if !there {
		return false, false
	}
	if c := v.kind(); c != 't' && c != 'f' {
		o.p.report(v, "type", "must be true or false")
		return false, false
	}
	return v.kind() == 't', true
}

// list reads an optional array with a number of elements in a range. Elements
// beyond the range are not looked at, so a long list costs nothing.
func (o *object) list(key string, low, high int) []value {
	elements := o.all(key, low, high)
	return elements[:min(len(elements), high)]
}

// all is list with the elements beyond the range.
func (o *object) all(key string, low, high int) []value {
	v, there := o.members[key]
	if !there {
		return nil
	}
	elements := o.p.elements(v)
	if n := len(elements); elements != nil && (n < low || n > high) {
		o.p.report(v, "count", "must have "+between(low, high, "entries"))
	}
	return elements
}

// texts reads an optional array of strings.
func (o *object) texts(key string, low, high int, rule textRule) []string {
	var list []string
	for _, v := range o.list(key, low, high) {
		if s, ok := o.p.textOf(v, rule); ok {
			list = append(list, s)
		}
	}
	return list
}

// mapping reads an optional object of strings with at most limit members; check
// finds what else is wrong with one.
func (o *object) mapping(key string, limit int, check func(name string, v value, s string)) map[string]string {
	v, there := o.members[key]
	if !there {
		return nil
	}
	members := o.p.open(v)
	if members == nil {
		return nil
	}
	if len(members.keys) > limit {
		o.p.report(v, "count", "must have "+between(0, limit, "entries"))
	}
	list := map[string]string{}
	for _, name := range members.keys {
		member := members.given(name)
		s, ok := member.text()
		if !ok {
			o.p.report(member, "type", "must be a string")
			continue
		}
		list[name] = s
		check(name, member, s)
	}
	return list
}

// link reads an address that the service will call: https, and fit for the
// guard, whose rules are check's.
func (p *parser) link(v value, check func(raw string) error) string {
	s, ok := p.textOf(v, textRule{min: 1, max: maxURL})
	switch {
	case !ok:
	case len(s) < len(https) || !strings.EqualFold(s[:len(https)], https):
		p.report(v, "address-refused", "must be an absolute https address")
	case check != nil:
		if err := check(s); err != nil {
			p.report(v, "address-refused", err.Error())
		}
	}
	return s
}

// https begins every address that the service calls for an execution.
const https = "https://"
