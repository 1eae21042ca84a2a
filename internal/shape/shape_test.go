package shape_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/shape"
)

type part struct {
	ID   string `json:"id" minLength:"1" maxLength:"3"`
	Rank int    `json:"rank,omitempty" minimum:"1" maximum:"9"`
}

type Base struct {
	Scope string `json:"scope,omitempty" enum:"small,large"`
}

type sample struct {
	Base
	Name    string            `json:"name" minLength:"1" maxLength:"4" notBlank:"true"`
	Key     string            `json:"key,omitempty" pattern:"^[a-z]+$"`
	Person  string            `json:"person,omitempty" format:"caller-id"`
	Link    string            `json:"link,omitempty" format:"http-url"`
	Size    *int              `json:"size,omitempty" minimum:"1" maximum:"500"`
	Ratio   float64           `json:"ratio,omitempty" minimum:"0" maximum:"1"`
	Small   int32             `json:"small,omitempty"`
	On      *bool             `json:"on,omitempty"`
	Tags    []string          `json:"tags,omitempty" minItems:"1" maxItems:"3" uniqueItems:"true" maxLength:"5"`
	Parts   []part            `json:"parts,omitempty" maxItems:"4"`
	Part    *part             `json:"part,omitempty"`
	Labels  map[string]string `json:"labels,omitempty" maxProperties:"2"`
	Free    shape.Object      `json:"free,omitempty" maxBytes:"22"`
	Any     json.RawMessage   `json:"any,omitempty"`
	Choice  choice            `json:"choice,omitempty"`
	private string            //nolint:unused // Compile must pass over it
}

// choice is a string or a list of them.
type choice struct{ values []string }

func (c *choice) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		c.values = []string{one}
		return nil
	}
	return json.Unmarshal(text, &c.values)
}

func (choice) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

func compile(of any) *shape.Shape {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	return shape.Compile(registry, reflect.TypeOf(of))
}

var samples = compile(sample{})

func read(t *testing.T, text string, mode shape.Mode) (sample, shape.Report) {
	t.Helper()
	require.NoError(t, shape.Check([]byte(text)), text)
	var got sample
	return got, samples.Read([]byte(text), &got, mode)
}

// faults are the codes and paths of a report, each as "code path".
func faults(report shape.Report) []string {
	var out []string
	for _, issue := range report.Issues {
		out = append(out, strings.TrimSpace(issue.Code+" "+strings.Join(issue.Path, ".")))
	}
	return out
}

func TestReadFillsEveryKindOfField(t *testing.T) {
	text := `{"name":"é\u00e9x","scope":"large","key":"ab","person":"p 1","link":"https://h/x","size":1e2,"ratio":0.5,"small":-7,
		"on":false,"tags":["a","b"],"parts":[{"id":"x","rank":9},{"id":"yy"}],"part":{"id":"z"},"labels":{"a":"b"},
		"free": {"n" : 9007199254740993}, "any": [1.0, 1e400], "choice":["c","d"]}`
	var got sample
	report := samples.Read([]byte(text), &got, shape.Closed)
	require.Empty(t, report.Issues)
	require.Equal(t, "ééx", got.Name)
	require.Equal(t, "large", got.Scope)
	require.Equal(t, 100, *got.Size)
	require.InDelta(t, 0.5, got.Ratio, 0)
	require.EqualValues(t, -7, got.Small)
	require.False(t, *got.On)
	require.Equal(t, []string{"a", "b"}, got.Tags)
	require.Equal(t, []part{{ID: "x", Rank: 9}, {ID: "yy"}}, got.Parts)
	require.Equal(t, "z", got.Part.ID)
	require.Equal(t, map[string]string{"a": "b"}, got.Labels)
	require.Equal(t, `[1.0, 1e400]`, string(got.Any), "raw values keep their text")
	require.Equal(t, []string{"c", "d"}, got.Choice.values)
	require.Contains(t, string(got.Free), "9007199254740993")
}

func TestReadNamesEachFault(t *testing.T) {
	cases := map[string][]string{
		`{}`:                                           {"required name"},
		`{"name":null}`:                                {"required name"},
		`{"name":""}`:                                  {"length name"},
		`{"name":"  "}`:                                {"length name"},
		`{"name":"12345"}`:                             {"length name"},
		`{"name":7}`:                                   {"type name"},
		`{"name":"a","scope":"Small"}`:                 {"enum scope"},
		`{"name":"a","key":"A"}`:                       {"pattern key"},
		`{"name":"a","person":"a\tb"}`:                 {"pattern person"},
		`{"name":"a","link":"ftp://h/"}`:               {"format link"},
		`{"name":"a","link":"/x"}`:                     {"format link"},
		`{"name":"a\u0000"}`:                           {"format name"},
		`{"name":"\ud800"}`:                            {"format name"},
		`{"name":"a","size":0}`:                        {"range size"},
		`{"name":"a","size":501}`:                      {"range size"},
		`{"name":"a","size":1.5}`:                      {"type size"},
		`{"name":"a","size":"5"}`:                      {"type size"},
		`{"name":"a","size":1e300}`:                    {"range size"},
		`{"name":"a","small":2147483648}`:              {"range small"},
		`{"name":"a","ratio":1.01}`:                    {"range ratio"},
		`{"name":"a","ratio":1e999}`:                   {"range ratio"},
		`{"name":"a","ratio":true}`:                    {"type ratio"},
		`{"name":"a","on":"true"}`:                     {"type on"},
		`{"name":"a","on":1}`:                          {"type on"},
		`{"name":"a","tags":[]}`:                       {"count tags"},
		`{"name":"a","tags":["a","b","c","d"]}`:        {"count tags"},
		`{"name":"a","tags":["a","\u0061"]}`:           {"duplicate tags.1"},
		`{"name":"a","tags":["a",null]}`:               {"type tags.1"},
		`{"name":"a","tags":["123456"]}`:               {"length tags.0"},
		`{"name":"a","tags":"a"}`:                      {"type tags"},
		`{"name":"a","parts":[{"id":""},{}]}`:          {"length parts.0.id", "required parts.1.id"},
		`{"name":"a","parts":[[]]}`:                    {"type parts.0"},
		`{"name":"a","part":[]}`:                       {"type part"},
		`{"name":"a","labels":{"a":1}}`:                {"type labels.a"},
		`{"name":"a","labels":{"a":null}}`:             {"type labels.a"},
		`{"name":"a","labels":[]}`:                     {"type labels"},
		`{"name":"a","labels":{"a":"","b":"","c":""}}`: {"count labels"},
		`{"name":"a","free":[]}`:                       {"type free"},
		`{"name":"a","free":{"long":"0123456789ab"}}`:  {"length free"},
		`{"name":"a","choice":1}`:                      {"type choice"},
		`{"name":"a","name":"b"}`:                      {"duplicate name"},
		`{"name":"a","Name":"b"}`:                      {"unknown-key Name"},
		`{"name":"a","part":{"id":"x","y":1}}`:         {"unknown-key part.y"},
		`{"name":1,"size":"x","on":3,"nope":{}}`:       {"type name", "type size", "type on", "unknown-key nope"},
	}
	for text, want := range cases {
		_, report := read(t, text, shape.Closed)
		require.Equal(t, want, faults(report), text)
	}
}

func TestReadTakesNullForAbsent(t *testing.T) {
	var got sample
	report := samples.Read([]byte(`{"name":"a","size":null,"tags":null,"part":null,"free":null,"on":null,"choice":null}`), &got, shape.Closed)
	require.Empty(t, report.Issues)
	require.Equal(t, sample{Name: "a"}, got)
}

func TestReadCountsCodePoints(t *testing.T) {
	_, report := read(t, `{"name":"😀😀😀😀"}`, shape.Closed)
	require.Empty(t, report.Issues)
}

func TestReadKeepsAnObjectOfTheRightSizeWithoutItsSpace(t *testing.T) {
	var got sample
	report := samples.Read([]byte(`{"name":"a","free":{  "long" :   "0123456789"  }}`), &got, shape.Closed)
	require.Empty(t, report.Issues)
	require.JSONEq(t, `{"long":"0123456789"}`, string(got.Free))
}

func TestReadNamesIgnoredKeys(t *testing.T) {
	_, report := read(t, `{"name":"a","x":{"deep":[1]},"part":{"id":"i","a,b":2}}`, shape.Open)
	require.Empty(t, report.Issues)
	require.Equal(t, [][]string{{"x"}, {"part", "a,b"}}, report.Ignored)
}

func TestReadBoundsWhatItReports(t *testing.T) {
	text := `{"name":"a"` + strings.Repeat(`,"k":1`, 1000) + `}`
	_, report := read(t, text, shape.Closed)
	require.Len(t, report.Issues, 200)
	_, report = read(t, text, shape.Open)
	require.Len(t, report.Ignored, 100)
}

func TestCheck(t *testing.T) {
	nested := strings.Repeat("[", shape.MaxDepth) + strings.Repeat("]", shape.MaxDepth)
	cases := map[string]error{
		`{"a":1}`:                           nil,
		" {} \n":                            nil,
		nested:                              nil,
		"[" + nested + "]":                  shape.ErrDepth,
		strings.Repeat("[", 1<<20):          shape.ErrDepth,
		`"` + strings.Repeat("[", 99) + `"`: nil,
		"{\"a\":\"\xff\"}":                  shape.ErrUTF8,
		``:                                  shape.ErrJSON,
		`{} {}`:                             shape.ErrJSON,
		`{"a":01}`:                          shape.ErrJSON,
		`{"a":1,}`:                          shape.ErrJSON,
		`{'a':1}`:                           shape.ErrJSON,
	}
	for text, want := range cases {
		require.ErrorIs(t, shape.Check([]byte(text)), want, text[:min(len(text), 20)])
	}
}

func TestMember(t *testing.T) {
	found := shape.Member([]byte(` { "x" : 1, "data" : { "data" : 2 } } `), "data")
	require.Equal(t, shape.Members{IsObject: true, Value: []byte(`{ "data" : 2 }`), Others: []string{"x"}}, found)
	require.True(t, shape.Member([]byte(`{"data":1,"d\u0061ta":2}`), "data").Twice)
	require.False(t, shape.Member([]byte(`[]`), "data").IsObject)
	require.Nil(t, shape.Member([]byte(`{"Data":1}`), "data").Value)
	for text, unstorable := range map[string]bool{
		`{"data":"\u0000","a":"\ufffd \ud83d\ude00"}`: false, // what is in data is for its reader
		`{"a":1,"b\u0000":1,"data":{}}`:               true,
		`{"data":{},"\ud800":1}`:                      true,
		`{"data":{},"a":[{"b":"\u0000"}],"c":1}`:      true,
		`{"data":{},"a":{"\udc00":1}}`:                true,
	} {
		require.Equal(t, unstorable, shape.Member([]byte(text), "data").Unstorable, text)
	}
}

func TestCompileRefusesWhatItCannotRead(t *testing.T) {
	type unnamed struct{ A string }
	type channel struct {
		A map[string]any `json:"a"`
	}
	type hidden struct {
		inner // which the document would not show
	}
	for _, of := range []any{unnamed{}, channel{}, hidden{}} {
		require.Panics(t, func() { compile(of) }, "%T", of)
	}
}

type inner struct {
	A string `json:"a"`
}

func TestObjectWritesWhatItRead(t *testing.T) {
	var o struct{ A, B shape.Object }
	require.NoError(t, json.Unmarshal([]byte(`{"A":{"n":1.10},"B":null}`), &o))
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.Contains(t, string(text), `{"n":1.10}`)
	require.JSONEq(t, `{"A":{"n":1.10},"B":null}`, string(text))
	require.Error(t, json.Unmarshal([]byte(`[]`), &o.A))
}

// Whatever Check accepts is read without panicking, and what is read without a
// fault is what encoding/json reads.
func FuzzRead(f *testing.F) {
	f.Add(`{"name":"a","tags":["x"],"parts":[{"id":"q"}],"free":{"a":1},"labels":{"k":"v"}}`)
	f.Add(`{"name":"\u00e9\"\\","size":12,"any":{"x":[{}]}}`)
	f.Add(`{"n\u0061me":"b","ratio":-1.5e-3}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		if shape.Check([]byte(text)) != nil {
			return
		}
		var got sample
		report := samples.Read([]byte(text), &got, shape.Closed)
		if len(report.Issues) > 0 {
			return
		}
		var want sample
		require.NoError(t, json.Unmarshal([]byte(text), &want), text)
		want.Free, want.Any, got.Free, got.Any = nil, nil, nil, nil
		require.Equal(t, want, got, text)
	})
}

func BenchmarkRead(b *testing.B) {
	text := []byte(`{"name":"abcd","key":"abcdef","size":100,"tags":["a","b"],"part":{"id":"z"},"free":{"n":12345}}`)
	b.ReportAllocs()
	for b.Loop() {
		var got sample
		if shape.Check(text) != nil || len(samples.Read(text, &got, shape.Closed).Issues) > 0 {
			b.Fatal("not read")
		}
	}
}
