package person

import (
	"bytes"
	"encoding/json"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/redline-svc/redline/internal/shape"
)

// Initial is the first character, as people see it, of the name, else of the
// e-mail address; in upper case where that stays one character. Empty when both
// are.
func Initial(name, email string) string {
	text := name
	if text == "" {
		text = email
	}
	first := cluster(text)
	if upper := cases.Upper(language.Und).String(first); cluster(upper) == upper {
		return upper
	}
	return first
}

// cluster is the first character of a text as people see it: an extended grapheme cluster
// by UAX #29, conjuncts included.
func cluster(text string) string {
	all := graphemes.FromString(text)
	return all.First()
}

// Person is a user as sent or as stored; nil is not known. Extra are the
// caller's own keys.
type Person struct {
	UserID                         string
	Name, Email, Initial, PhotoURL *string
	Extra                          []shape.Pair
}

// Filled returns the person with the gaps in name, e-mail and initial filled from
// a profile, and with an initial in any case.
func (p Person) Filled(profile *Person) Person {
	if profile != nil {
		p.Name, p.Email = either(p.Name, profile.Name), either(p.Email, profile.Email)
		if p.Initial == nil && profile.Initial != nil && *profile.Initial != "" && same(p.Name, profile.Name) {
			p.Initial = profile.Initial
		}
	}
	if p.Initial == nil {
		initial := Initial(value(p.Name), value(p.Email))
		p.Initial = &initial
	}
	return p
}

// WithoutNulls leaves out the caller's own keys that are null: where a person
// is new, null means absent.
func (p Person) WithoutNulls() Person {
	var kept []shape.Pair
	for _, pair := range p.Extra {
		if !pair.IsNull() {
			kept = append(kept, pair)
		}
	}
	p.Extra = kept
	return p
}

// Snapshot writes the person as one JSON object. What is not known is left out.
func (p Person) Snapshot() json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // texts are always written
		UserID   string  `json:"userId"`
		Name     *string `json:"name,omitempty"`
		Email    *string `json:"email,omitempty"`
		Initial  *string `json:"initial,omitempty"`
		PhotoURL *string `json:"photoUrl,omitempty"`
	}{p.UserID, p.Name, p.Email, p.Initial, p.PhotoURL})
	return shape.AppendMembers(bytes.TrimSpace(text.Bytes()), p.Extra)
}

// Of reads a snapshot.
func Of(snapshot json.RawMessage) Person {
	var p Person
	for _, member := range shape.MembersOf(snapshot) {
		switch member.Name {
		case "userId":
			p.UserID = value(text(member))
		case "name":
			p.Name = text(member)
		case "email":
			p.Email = text(member)
		case "initial":
			p.Initial = text(member)
		case "photoUrl":
			p.PhotoURL = text(member)
		default:
			p.Extra = append(p.Extra, member)
		}
	}
	return p
}

func text(member shape.Pair) (read *string) {
	_ = json.Unmarshal(member.Value, &read) // Snapshot writes texts only
	return read
}

func either(first, second *string) *string {
	if first != nil {
		return first
	}
	return second
}

func same(a, b *string) bool { return value(a) == value(b) }

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
