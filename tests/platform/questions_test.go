package platform

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// question is what one operation is asked, and where a text can stand in it.
type question struct {
	path   string
	data   any
	places [][]string
}

const (
	// first stands in a place for the first one of a list.
	first = "[]"
	// deepest is how many names a place has at most: schemas may contain themselves.
	deepest = 7
)

// questions are about a workspace's own things, for all operations of the document that its
// credentials open: reads first, while nothing is written, and those last that take something
// away, so that all others still find it.
func questions(env *kit.Env, own map[string]string) (all []question) {
	t := env.T
	t.Helper()
	reply, err := env.Keyed.Do(t.Context(), http.MethodGet, "/v2/openapi.json", nil, nil)
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(reply.Body)
	require.NoError(t, err)
	for path, item := range document.Paths.Map() {
		if slices.Contains(tokened, path) {
			continue
		}
		body := item.Post.RequestBody.Value.Content.Get("application/json")
		q := question{path: path, data: object{}}
		if template, is := named[path]; is {
			require.NoError(t, json.Unmarshal([]byte(filled(template, own)), &q.data), path)
		} else {
			for _, name := range slices.Sorted(maps.Keys(body.Examples)) {
				q.data = dataOf(body.Examples[name].Value.Value)
				break
			}
		}
		q.places = textsOf(body.Schema.Value.Properties["data"], nil)
		for _, at := range textsIn(q.data, nil) {
			if !slices.ContainsFunc(q.places, func(other []string) bool { return slices.Equal(at, other) }) {
				q.places = append(q.places, at)
			}
		}
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b question) int {
		return cmp.Or(cmp.Compare(a.turn(), b.turn()), strings.Compare(a.path, b.path))
	})
	return all
}

// object is one of JSON.
type object = map[string]any

// dataOf is what stands under data in the example of a body.
func dataOf(example any) any {
	body, _ := example.(object)
	return body["data"]
}

// reads reports whether the operation writes nothing that the caller could read afterwards.
func (q question) reads() bool { return isRead(q.path) || slices.Contains(settling, q.path) }

// turn is when an operation is asked: reads come first, those last that take something away.
func (q question) turn() int {
	last := q.path[strings.LastIndex(q.path, "/")+1:]
	switch {
	case q.reads():
		return 0
	case slices.Contains([]string{"delete", "remove", "cancel", "reset", "rotate", "migrate", "update"}, last):
		return 2
	}
	return 1
}

// textsOf are the places of all texts that a schema allows.
func textsOf(of *openapi3.SchemaRef, at []string) (places [][]string) {
	if of == nil || len(at) > deepest {
		return nil
	}
	s := of.Value
	for _, choice := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		places = append(places, textsOf(choice, at)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		places = append(places, textsOf(s.Properties[name], under(at, name))...)
	}
	if s.Items != nil {
		places = append(places, textsOf(s.Items, under(at, first))...)
	}
	if s.Type != nil && s.Type.Includes(openapi3.TypeString) && len(s.Enum) == 0 {
		places = append(places, at)
	}
	return slices.CompactFunc(places, slices.Equal)
}

// textsIn are the places of all texts in a value.
func textsIn(value any, at []string) (places [][]string) {
	switch value := value.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			places = append(places, textsIn(value[name], under(at, name))...)
		}
	case []any:
		if len(value) > 0 {
			places = textsIn(value[0], under(at, first))
		}
	case string:
		places = [][]string{at}
	}
	return places
}

// under is the place of a name within another place.
func under(at []string, name string) []string { return append(slices.Clone(at), name) }

// put returns the value with a text in that place, which is made where it is not there.
func put(value any, at []string, text string) any {
	switch {
	case len(at) == 0:
		return text
	case at[0] == first:
		list, _ := value.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		return append([]any{put(list[0], at[1:], text)}, list[1:]...)
	}
	thing, _ := value.(object)
	if thing = maps.Clone(thing); thing == nil {
		thing = object{}
	}
	thing[at[0]] = put(thing[at[0]], at[1:], text)
	return thing
}

// filled is a template with names in their slots.
func filled(template string, names map[string]string) string {
	for what, name := range names {
		template = strings.ReplaceAll(template, "<"+what+">", name)
	}
	return template
}

// sent makes an operation with all credentials and returns the answer with its code.
func sent(env *kit.Env, path string, data any) (answer string, code int) {
	env.T.Helper()
	body, err := json.Marshal(object{"data": data})
	require.NoError(env.T, err)
	headers := maps.Clone(env.Owner.Headers)
	maps.Copy(headers, env.Keyed.Headers)
	reply, err := env.Keyed.With(headers).Send(env.Ctx, path, body, nil)
	require.NoError(env.T, err)
	return string(reply.Body), reply.HTTP
}
