package api_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// The makers of values that reach a limit: so many characters, bytes, elements
// or keys, or the number itself.

func characters(n int) any { return strings.Repeat("😀", n) }

func letters(n int) any { return strings.Repeat("x", n) }

func textBytes(n int) any { return strings.Repeat("é", n/2) + strings.Repeat("x", n%2) }

func number(n int) any { return n }

func userIDs(n int) any { return kit.Many(n) }

func tags(n int) any { return kit.ManyTags(n) }

func comments(n int) any { return manyComments(n) }

func manyContacts(n int) any {
	contacts := make([]any, n)
	for i, user := range kit.Many(n) {
		contacts[i] = map[string]any{"userId": user, "contact": map[string]any{"userId": user}}
	}
	return contacts
}

// filled makes objects of these members that are so many bytes as JSON.
func filled(members string) func(n int) any {
	return func(n int) any {
		head := `{` + members + `"own":"`
		return json.RawMessage(head + strings.Repeat("é", (n-len(head)-2)/2) + strings.Repeat("x", (n-len(head)-2)%2) + `"}`)
	}
}

// complete is an annotation that has all its parts.
func complete() map[string]any {
	root := kit.Wrote("ann", "a", map[string]any{
		"isCommentResolverUsed": true, "taggedUserContacts": manyContacts(1), "agent": map[string]any{
			"agentSource": "external", "agentName": "Bot", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"},
		},
	})
	return map[string]any{
		"commentData": []any{root}, "type": "suggestion", "location": map[string]any{"id": "page"}, "targetElement": map[string]any{},
		"status":     map[string]any{"id": "X", "name": "X", "type": "default", "color": "#000", "lightColor": "#fff", "iconUrl": "x"},
		"priority":   map[string]any{"id": "X", "name": "X", "color": "#000", "lightColor": "#fff"},
		"visibility": map[string]any{"type": "restricted", "userIds": []string{"bob"}},
		"assignedTo": map[string]any{"userId": "bob"},
	}
}

// setAt sets the value at a path of members and places.
func setAt(into any, path string, value any) {
	name, rest, deeper := strings.Cut(path, ".")
	switch within := into.(type) {
	case []any:
		at, _ := strconv.Atoi(name) // the paths of the tables have numbers there
		setAt(within[at], rest, value)
	case map[string]any:
		if !deeper {
			within[name] = value
			return
		}
		setAt(within[name], rest, value)
	}
}

// limited is a place in an annotation and the most that it takes.
type limited struct {
	path  string
	limit int
	make  func(n int) any
}

func TestAnnotationsAdd_EachLimitAndOneMore(t *testing.T) {
	env := newWorkspace(t)
	for _, row := range []limited{
		{"annotationId", 200, characters},
		{"commentData", 100, comments},
		{"context", 200, kit.ManyKeys},
		{"context", 32 << 10, filled("")},
		{"suggestion", 32 << 10, filled(`"summary":"x",`)},
		{"createdAt", 253402300799999, number},
		{"lastUpdated", 253402300799999, number},
		{"location.id", 200, characters},
		{"location.locationName", 500, characters},
		{"targetElement.elementId", 1000, characters},
		{"targetElement.targetText", 10_000, characters},
		{"targetElement.occurrence", 1_000_000, number},
		{"status.id", 200, characters},
		{"status.name", 200, characters},
		{"status.color", 200, characters},
		{"status.lightColor", 200, characters},
		{"status.svg", 16 << 10, textBytes},
		{"status.iconUrl", 2000, characters},
		{"priority.id", 200, characters},
		{"priority.name", 200, characters},
		{"priority.color", 200, characters},
		{"priority.lightColor", 200, characters},
		{"visibility.userIds", 500, userIDs},
		{"assignedTo.userId", 200, characters},
		{"assignedTo", 8 << 10, filled(`"userId":"bob",`)},
	} {
		reaches(env, "", row)
	}
}

func TestCommentsOfAnAdd_EachLimitAndOneMore(t *testing.T) {
	env := newWorkspace(t)
	reason := `"title":"t","description":"d","severity":"low",`
	for _, row := range []limited{
		{"commentId", 9007199254740991, number},
		{"commentText", 64 << 10, textBytes},
		{"commentText", 100, tags},
		{"commentHtml", 128 << 10, textBytes},
		{"context", 32 << 10, filled("")},
		{"context", 200, kit.ManyKeys},
		{"createdAt", 253402300799999, number},
		{"lastUpdated", 253402300799999, number},
		{"from.userId", 200, characters},
		{"from.name", 200, characters},
		{"from.email", 320, characters},
		{"from.initial", 8, characters},
		{"from.photoUrl", 2000, characters},
		{"from", 8 << 10, filled(`"userId":"ann",`)},
		{"taggedUserContacts", 100, manyContacts},
		{"taggedUserContacts.0.contact.name", 200, characters},
		{"taggedUserContacts.0.contact.email", 320, characters},
		{"agent.agentId", 200, characters},
		{"agent.agentName", 200, characters},
		{"agent.url", 2000, characters},
		{"agent.reason", 32 << 10, filled(reason)},
		{"agent.reason.title", 500, characters},
		{"agent.reason.description", 10_000, letters},
		{"agent.reason.suggestedFix", 10_000, letters},
		{"agent.reason.findingId", 10_000, letters},
		{"agent.reason.confidence", 100, number},
	} {
		reaches(env, "commentData.0.", row)
	}
}

// What reads back of the largest ids, and where a tag is not asked for.
func TestAnnotationsAdd_TheLimitsThemselvesAreAllowed(t *testing.T) {
	env := newWorkspace(t)
	largest := kit.Wrote("ann", "a", map[string]any{"commentId": 9007199254740991})
	kit.Annotate(env, kit.Made("d", kit.Annotated("b", largest, kit.Wrote("ann", "b", map[string]any{"commentId": 12.0}))))
	found := kit.Older[[]*redline.ThreadComment](env, kit.GetComments, kit.Doc("d", map[string]any{"annotationId": "b"})).Data
	require.Equal(t, []int64{9007199254740991, 12}, []int64{found[0].CommentID, found[1].CommentID})
	untagged := kit.Wrote("ann", "", map[string]any{"isCommentResolverUsed": true, "taggedUserContacts": manyContacts(1)})
	kit.Annotate(env, kit.Made("d", kit.Annotated("c", untagged)))
}

// reaches adds an annotation with a value at its limit, and is refused one with
// the next value, for it alone.
func reaches(env *kit.Env, above string, row limited) {
	env.T.Helper()
	annotation, path := complete(), above+row.path
	setAt(annotation, path, row.make(row.limit))
	kit.Annotate(env, kit.Made("d", annotation))
	setAt(annotation, path, row.make(row.limit+1))
	failure := env.Refused(client.AddAnnotations, kit.Made("d", annotation))
	require.Equal(env.T, redline.ProblemStatusInvalidArgument, failure.Status, path)
	require.Len(env.T, failure.Issues, 1, path)
	require.Equal(env.T, "commentAnnotations.0."+path, strings.Join(failure.Issues[0].Path, "."))
}

func manyComments(count int) []any {
	all := make([]any, count)
	for i := range all {
		all[i] = kit.Wrote("ann", "a")
	}
	return all
}

func TestAnnotationsAdd_NotifiesOfSoManyCommentsAndNoMore(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, flaggedThreads(10, 100))
	beyond := flaggedThreads(11, 91)
	require.Equal(t, "count", env.Refused(client.AddAnnotations, beyond).Issues[0].Code)
}
