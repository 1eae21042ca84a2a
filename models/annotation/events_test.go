package annotation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

// tagging is a restricted annotation whose comments, all of them to be published, tag so
// many users each, none of them twice.
func tagging(comments, tags int) *annotation {
	a := &annotation{author: "ann", visibility: directory.Visibility{Type: directory.VisibleRestricted}}
	for i := range comments {
		c := &comment{Content: Content{From: person.Person{UserID: "ann"}}, publish: true, events: []string{envelope.CommentAdd}}
		for j := range tags {
			c.Tags = append(c.Tags, fmt.Sprint(i, " ", j))
		}
		a.comments = append(a.comments, c)
	}
	a.changed = a.comments
	return a
}

// All events of an annotation say the same of the users whom it names, which is found
// once: a hundred lists of ten thousand would be made, and kept, otherwise.
func TestEventsOfAnAnnotationShareWhomItNames(t *testing.T) {
	t.Parallel()
	c := &change{annotations: []*annotation{tagging(100, 100), tagging(2, 1)}}
	c.annotations[1].comments[1].Tags = []string{"b", "a", "b"}
	nobodyReads := directory.Viewers{Reach: &directory.Access{}}
	who := &viewers{Viewers: nobodyReads, named: namedIn(c)}
	who.exclude()
	var published []*eventData
	for event := range eventsOf(c, who) {
		data, ok := event.Data.(*eventData)
		require.True(t, ok)
		published = append(published, data)
	}
	require.Len(t, published, 102)
	many, few := published[:100], published[100:]
	for _, events := range [][]*eventData{many, few} {
		for _, data := range events {
			require.Same(t, &events[0].Annotation.Mentioned[0], &data.Annotation.Mentioned[0])
			require.Same(t, events[0].AccessDenied, data.AccessDenied)
		}
	}
	require.Len(t, many[0].Annotation.Mentioned, 10_000)
	require.Len(t, *many[0].AccessDenied, 10_000)
	require.Equal(t, []string{"0 0", "b", "a"}, few[0].Annotation.Mentioned, "each once, in the order of the thread")
	require.Equal(t, []string{"0 0", "a", "b"}, *few[0].AccessDenied)
}

// What it costs to publish a hundred comments that tag a hundred users each, but for
// writing them.
func BenchmarkEventsOf(b *testing.B) {
	c := &change{annotations: []*annotation{tagging(100, 100)}}
	for b.Loop() {
		who := &viewers{Viewers: directory.Viewers{Reach: &directory.Access{}}, named: namedIn(c)}
		who.exclude()
		for range eventsOf(c, who) {
			continue
		}
	}
}

// What is left of an event that says more than a body can is the same as where all of it is written first.
func TestWhatIsLeftOfAnEventIsThatOfTheWholeOne(t *testing.T) {
	t.Parallel()
	for _, length := range []int{10, 6 << 10, 300 << 10} {
		a := &annotation{id: "a", from: jsonNull, status: jsonNull}
		for i := range 25 {
			text := strings.Repeat("x", length)
			a.comments = append(a.comments, &comment{id: int64(i + 1), Content: Content{Text: text, HTML: text, Context: json.RawMessage(`{"page":1}`)}})
		}
		for _, target := range []*comment{a.comments[0], a.comments[3], a.comments[24], nil} {
			data := &eventData{Annotation: showAnnotation(&change{}, a, nil, target), ActionUser: jsonNull}
			if target != nil {
				data.Target = showComment(target)
			}
			for _, form := range []envelope.Form{{}, {Protected: true}, {IDsOnly: true}, {Encoded: true}} {
				message := envelope.Message{ID: "msg_1", Event: envelope.CommentUpdate, Data: shape.Encode(data), Metadata: envelope.Metadata{APIKey: "ak_1"}}
				whole, err := message.Body(form)
				require.NoError(t, err)
				message.Data = data
				cut, err := message.Body(form)
				require.NoError(t, err)
				require.Equal(t, string(whole), string(cut), "%d %v", length, form)
			}
		}
	}
}
