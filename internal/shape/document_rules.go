package shape

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

// TextRule is what a string must be. Lengths are in characters; Max zero
// means no limit.
type TextRule struct {
	Min, Max int
	Pattern  *regexp.Regexp
	// Plain forbids control characters.
	Plain bool
}

// IDRule is the rule of ids that the caller chooses freely.
func IDRule(longest int) TextRule { return TextRule{Min: 1, Max: longest, Plain: true} }

// Need returns the member, or an issue if it is not there.
func (o *Fields) Need(key string) (Part, bool) {
	v, ok := o.Members[key]
	if !ok {
		o.Fault(key, Required, "is required")
	}
	return v, ok
}

// Text reads an optional string; ok reports whether it is there and right.
func (o *Fields) Text(key string, rule TextRule) (string, bool) {
	v, there := o.Members[key]
	if !there {
		return "", false
	}
	return o.r.TextOf(v, rule)
}

// NeedText reads a required string.
func (o *Fields) NeedText(key string, rule TextRule) (string, bool) {
	v, there := o.Need(key)
	if !there {
		return "", false
	}
	return o.r.TextOf(v, rule)
}

// TextOf returns v if it is a string that keeps the rule.
func (r *Document) TextOf(v Part, rule TextRule) (string, bool) {
	s, ok := v.Text()
	if !ok {
		r.Report(v, Type, "must be a string")
		return "", false
	}
	n := utf8.RuneCountInString(s)
	switch {
	case n < rule.Min || (rule.Max > 0 && n > rule.Max):
		r.Report(v, Length, "must have "+Between(rule.Min, rule.Max, "characters"))
	case rule.Pattern != nil && !rule.Pattern.MatchString(s):
		r.Report(v, Pattern, "must match "+rule.Pattern.String())
	case rule.Plain && strings.ContainsFunc(s, unicode.IsControl):
		r.Report(v, Pattern, "must not have control characters")
	case strings.ContainsRune(s, 0):
		// No text of ours holds it, and Postgres refuses it in columns.
		r.Report(v, Pattern, "must not have the character U+0000")
	default:
		return s, true
	}
	return "", false
}

// Between is a range in words.
func Between(low, high int, of string) string {
	switch {
	case high == 0:
		return fmt.Sprintf("at least %d %s", low, of)
	case low == 0:
		return fmt.Sprintf("at most %d %s", high, of)
	default:
		return fmt.Sprintf("%d to %d %s", low, high, of)
	}
}

// Word reads an optional string of a list; the first word is the default.
func (o *Fields) Word(key string, words ...string) (string, bool) {
	v, there := o.Members[key]
	if !there {
		return words[0], true
	}
	return o.r.WordOf(v, words...)
}

// NeedWord reads a required string of a list.
func (o *Fields) NeedWord(key string, words ...string) (string, bool) {
	v, there := o.Need(key)
	if !there {
		return "", false
	}
	return o.r.WordOf(v, words...)
}

// WordOf returns v if it is one of the words.
func (r *Document) WordOf(v Part, words ...string) (string, bool) {
	s, ok := v.Text()
	if !ok {
		r.Report(v, Type, "must be a string")
		return "", false
	}
	if !slices.Contains(words, s) {
		r.Report(v, Enum, "must be one of "+strings.Join(words, ", "))
		return "", false
	}
	return s, true
}

// Integer reads an optional whole number of a range.
func (o *Fields) Integer(key string, low, high int64) (int64, bool) {
	v, there := o.Members[key]
	if !there {
		return 0, false
	}
	n, ok := o.r.IntegerOf(v)
	if ok && (n < low || n > high) {
		o.r.Report(v, Range, fmt.Sprintf("must be %d to %d", low, high))
		return 0, false
	}
	return n, ok
}

// longestInteger is how long the spelling of a whole number may be: exponents
// that would have to be written out are no whole numbers here.
const longestInteger = 20

// IntegerOf reads a whole number in any spelling (1000, 1000.0, 1e3).
func (r *Document) IntegerOf(v Part) (int64, bool) {
	if c := v.Kind(); c != '-' && (c < '0' || c > '9') {
		r.Report(v, Type, "must be an integer")
		return 0, false
	}
	var n json.Number
	if json.Unmarshal(v.Raw, &n) == nil && len(v.Raw) <= longestInteger {
		if whole, err := n.Int64(); err == nil {
			return whole, true
		}
		if f, err := n.Float64(); err == nil && f >= -1e15 && f <= 1e15 {
			if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() {
				return r.Num().Int64(), true
			}
		}
	}
	r.Report(v, Type, "must be an integer")
	return 0, false
}

// Boolean reads an optional boolean.
func (o *Fields) Boolean(key string) (is, there bool) {
	v, there := o.Members[key]
	if !there {
		return false, false
	}
	if c := v.Kind(); c != 't' && c != 'f' {
		o.r.Report(v, Type, "must be true or false")
		return false, false
	}
	return v.Kind() == 't', true
}

// List reads an optional array with a number of elements in a range. Elements
// beyond the range are not looked at, so a long list costs nothing.
func (o *Fields) List(key string, low, high int) []Part {
	elements := o.All(key, low, high)
	return elements[:min(len(elements), high)]
}

// All is List with the elements beyond the range.
func (o *Fields) All(key string, low, high int) []Part {
	v, there := o.Members[key]
	if !there {
		return nil
	}
	elements := o.r.Elements(v)
	if n := len(elements); elements != nil && (n < low || n > high) {
		o.r.Report(v, Count, "must have "+Between(low, high, "entries"))
	}
	return elements
}

// Texts reads an optional array of strings.
func (o *Fields) Texts(key string, low, high int, rule TextRule) []string {
	var list []string
	for _, v := range o.List(key, low, high) {
		if s, ok := o.r.TextOf(v, rule); ok {
			list = append(list, s)
		}
	}
	return list
}

// Mapping reads an optional object of strings with at most limit members; check
// finds what else is wrong with one.
func (o *Fields) Mapping(key string, limit int, check func(name string, v Part, s string)) map[string]string {
	v, there := o.Members[key]
	if !there {
		return nil
	}
	members := o.r.Open(v)
	if members == nil {
		return nil
	}
	if len(members.Keys) > limit {
		o.r.Report(v, Count, "must have "+Between(0, limit, "entries"))
	}
	list := map[string]string{}
	for _, name := range members.Keys {
		member := members.Given(name)
		s, ok := member.Text()
		if !ok {
			o.r.Report(member, Type, "must be a string")
			continue
		}
		list[name] = s
		check(name, member, s)
	}
	return list
}
