package erase

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/redline-svc/redline/internal/thread"
)

// Nobody stands where the text of a comment tagged somebody who was erased.
const Nobody = "[deleted user]"

// Most is how many marks people may be known by who are erased together: each is looked for in every text.
const Most = 1000

// Marks are those of the people who are erased together.
type Marks struct {
	// Pseudonym comes in the place of each.
	Pseudonym string

	ids, all map[string]bool
	// said is made when it is first used: of many long marks that takes a while.
	said func() *regexp.Regexp
}

// New makes the marks of people: their ids, and by what else they are known.
func New(pseudonym string, ids, others []string) *Marks {
	m := &Marks{Pseudonym: pseudonym, ids: map[string]bool{}, all: map[string]bool{}}
	for _, id := range ids {
		m.ids[id], m.all[id] = true, true
	}
	for _, other := range others {
		if other != "" {
			m.all[other] = true
		}
	}
	m.said = sync.OnceValue(func() *regexp.Regexp { return wordsOf(m.All()) })
	return m
}

// wordsOf finds marks that stand by themselves, the longest first.
func wordsOf(marks []string) *regexp.Regexp {
	slices.SortFunc(marks, func(a, b string) int { return len(b) - len(a) })
	quoted := make([]string, len(marks))
	for i, mark := range marks {
		quoted[i] = regexp.QuoteMeta(mark)
	}
	return regexp.MustCompile(`(^|[^\pL\pN_])(` + strings.Join(quoted, "|") + `)($|[^\pL\pN_])`)
}

// All are the marks of all kinds.
func (m *Marks) All() []string {
	all := make([]string, 0, len(m.all))
	for mark := range m.all {
		all = append(all, mark)
	}
	slices.Sort(all)
	return all
}

// IDs are the ids among them.
func (m *Marks) IDs() []string {
	ids := make([]string, 0, len(m.ids))
	for id := range m.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// AtOnce is how many rows, of so many at most, are looked at together: fewer where there are many marks to look for in each.
func (m *Marks) AtOnce(most int) int { return max(10, min(most, 10*most/len(m.all))) }

// Has reports whether an id is that of somebody who is erased.
func (m *Marks) Has(id string) bool { return m.ids[id] }

// Text is a stored value, the pseudonym where it is a mark.
func (m *Marks) Text(value string) string {
	if m.all[value] {
		return m.Pseudonym
	}
	return value
}

// Said is a text that the service composed, without the marks in it.
func (m *Marks) Said(text string) string {
	// No stored text has a NUL, so what comes in the place of a mark has no mark itself: somebody may
	// be called "user".
	const place = "\x00"
	for m.said().MatchString(text) { // neighbours share what stands between them
		text = m.said().ReplaceAllString(text, "${1}"+place+"${3}")
	}
	return strings.ReplaceAll(text, place, Nobody)
}

// Untagged is the text of a comment that tags nobody who is erased.
func (m *Marks) Untagged(text string) string {
	for id := range m.ids {
		text = strings.ReplaceAll(text, "{{"+id+"}}", Nobody)
	}
	return text
}

// UntaggedHTML is Untagged for HTML. Where a tag cannot be found, because it is spelled in a way of
// its own, nothing is left: the comment still has its text.
func (m *Marks) UntaggedHTML(markup string) string {
	rest := m.untaggedEntities(markup)
	if slices.ContainsFunc(thread.Tags("", rest), m.Has) {
		return ""
	}
	return rest
}

// untaggedEntities is Untagged for a text that may be HTML.
func (m *Marks) untaggedEntities(text string) string {
	rest := m.Untagged(text)
	for id := range m.ids {
		rest = strings.ReplaceAll(rest, "{{"+html.EscapeString(id)+"}}", Nobody)
	}
	return rest
}

// JSON is a JSON text without the people; the same one where it has none of them.
func (m *Marks) JSON(text json.RawMessage) json.RawMessage {
	w := &writer{marks: m, from: json.NewDecoder(bytes.NewReader(text))}
	w.from.UseNumber()
	if err := w.value(); err != nil || !w.changed {
		return text
	}
	return w.out.Bytes()
}

// Names reports whether a JSON text names one of the people, in a value or in a tag.
func (m *Marks) Names(text json.RawMessage) bool {
	w := &writer{marks: m, from: json.NewDecoder(bytes.NewReader(text))}
	w.from.UseNumber()
	err := w.value()
	return err != nil || w.changed
}

// writer copies JSON and leaves people out.
type writer struct {
	marks *Marks
	from  *json.Decoder
	out   bytes.Buffer
	// changed reports that somebody was left out.
	changed bool
}

func (w *writer) value() error {
	token, err := w.from.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return w.object()
		}
		return w.array()
	case string:
		w.text(t)
	default:
		w.write(token)
	}
	return nil
}

func (w *writer) array() error {
	w.out.WriteByte('[')
	for first := true; w.from.More(); first = false {
		w.comma(first)
		if err := w.value(); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	_, err := w.from.Token()
	return err
}

// describing are keys of an object with a userId that make it the description of a person.
var describing = map[string]bool{"name": true, "email": true, "initial": true, "photoUrl": true}

// viewers is the key of a list of those to whom something is shown. Who is erased is left out of it: a
// pseudonym would be somebody to show it to.
const viewers = "visibleToUserIds"

func (w *writer) viewers() error {
	var stored json.RawMessage
	if err := w.from.Decode(&stored); err != nil {
		return err
	}
	rest := w.marks.List(string(stored))
	w.changed = w.changed || rest != string(stored)
	w.out.WriteString(rest)
	return nil
}

// object copies an object; of one that describes somebody who is erased only the pseudonym is left.
func (w *writer) object() error {
	start, isErased, describes := w.out.Len(), false, false
	w.out.WriteByte('{')
	for first := true; w.from.More(); first = false {
		w.comma(first)
		key, err := w.from.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		describes = describes || describing[name]
		w.write(name) // a name of a field is nobody
		w.out.WriteByte(':')
		before, copied := w.out.Len(), w.value
		if name == viewers {
			copied = w.viewers
		}
		if err := copied(); err != nil {
			return err
		}
		isErased = isErased || name == "userId" && w.wrotePseudonym(before)
	}
	w.out.WriteByte('}')
	if isErased && describes {
		w.out.Truncate(start)
		w.out.WriteString(`{"userId":`)
		w.write(w.marks.Pseudonym)
		w.out.WriteByte('}')
	}
	_, err := w.from.Token()
	return err
}

// wrotePseudonym reports whether what was written from a place on is the pseudonym.
func (w *writer) wrotePseudonym(from int) bool {
	var written string
	return json.Unmarshal(w.out.Bytes()[from:], &written) == nil && written == w.marks.Pseudonym
}

func (w *writer) comma(first bool) {
	if !first {
		w.out.WriteByte(',')
	}
}

// text writes a string, the pseudonym for a mark, without the tags of comments that it quotes.
func (w *writer) text(value string) {
	now := w.marks.Text(value)
	if strings.Contains(now, "{{") {
		now = w.marks.untaggedEntities(now)
	}
	w.changed = w.changed || now != value
	w.write(now)
}

func (w *writer) write(token any) {
	encoder := json.NewEncoder(&w.out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(token) // texts, numbers and words are always written
	w.out.Truncate(w.out.Len() - 1)
}

// Person is the stored description of a person; of one who is erased only the pseudonym is left.
func (m *Marks) Person(text json.RawMessage) json.RawMessage {
	var who struct {
		UserID string `json:"userId"`
	}
	if json.Unmarshal(text, &who) == nil && m.ids[who.UserID] {
		return json.RawMessage(`{"userId":"` + m.Pseudonym + `"}`)
	}
	return m.JSON(text)
}

// List is a list of users as Postgres writes an array of texts, without those who are erased.
func (m *Marks) List(stored string) string {
	var users []string
	if json.Unmarshal([]byte(stored), &users) != nil {
		return stored
	}
	users = slices.DeleteFunc(users, m.Has)
	text, _ := json.Marshal(users) // texts are always written
	return string(text)
}
