package predicate

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const output = `{"decision":"approve","score":7.50,"big":9007199254740993,"huge":1e999999999,"text":"Grüße €","empty":"",
"none":null,"yes":true,"list":[1,"a",null,{"k":1}],"obj":{"a":{"b":[10,20]},"7":"seven"},"a.b":1,"list2":[],"obj2":{},"neg":-3}`

const step = `{"stepId":"s","nodeId":"n","status":"completed","retryCount":2,"iteration":1,"attempt":1}`

var roots = Roots{Output: json.RawMessage(output), Step: json.RawMessage(step), Input: json.RawMessage(`{"title":"Spring","n":[{"x":true}]}`)}

// call writes {"op": name, "args": [args]}.
func callText(name string, args ...string) string {
	return `{"op":"` + name + `","args":[` + strings.Join(args, ",") + `]}`
}

// read writes {"var": path}.
func read(path string) string { return `{"var":"` + path + `"}` }

func TestEval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		when string
		want bool
	}{
		{read("output.yes"), true},
		{read("output.decision"), false}, // only boolean true fires
		{read("output.missing"), false},
		{callText("eq", read("output.decision"), `"approve"`), true},
		{callText("eq", read("output.score"), `7.5`), true},
		{callText("eq", read("output.score"), `75e-1`), true},
		{callText("eq", read("output.big"), `9007199254740993`), true},
		{callText("eq", read("output.big"), `9007199254740992`), false},
		{callText("eq", read("output.huge"), `10e999999998`), true},
		{callText("eq", `-0`, `0.000`), true},
		{callText("eq", `0e5`, `0`), true},
		{callText("eq", `"1"`, `1`), false},
		{callText("eq", read("output.none"), read("output.missing")), true},
		{callText("eq", read("output.missing"), `null`), true},
		{callText("eq", read("output.list"), `[1.0,"a",null]`), false},
		{callText("eq", `[1,[2,"x"]]`, `[1.0,[2e0,"x"]]`), true},
		{callText("eq", `[1,2]`, `[2,1]`), false},
		{callText("eq", read("output.obj.a"), read("output.obj.a")), true},
		{callText("eq", read("output.obj"), read("output.obj.a")), false},
		{callText("eq", read("output.obj2"), read("output.list2")), false},
		{callText("eq", `true`, read("output.list")), false},
		{callText("ne", `1`, `"1"`), true},
		{callText("ne", `1`, `1.0`), false},
		{callText("gt", read("output.huge"), `1e999999998`), true},
		{callText("gt", `1e1000000000000000000000`, `1e999999999999999999999`), true},
		{callText("lt", `1e-1000000000000000000000`, `1e-999999999999999999999`), true},
		{callText("lt", `-2`, read("output.neg")), false},
		{callText("gt", `-2`, read("output.neg")), true},
		{callText("lt", `-1`, `0`), true},
		{callText("gte", `100`, `1e2`), true},
		{callText("lte", `0.1`, `0.10`), true},
		{callText("lt", `0.09`, `0.1`), true},
		{callText("lt", `9`, `10`), true},
		{callText("gt", `123`, `45.6`), true},
		{callText("lt", `"a"`, `"b"`), true},
		{callText("lt", `"Z"`, `"a"`), true},
		{callText("gt", `"😀"`, `"\uffff"`), true}, // by code point, not by UTF-16 unit
		{callText("gt", `"2"`, `1`), false},
		{callText("gt", `true`, `false`), false},
		{callText("gte", `null`, `null`), false},
		{callText("and", `true`), true},
		{callText("and", `true`, `1`), false},
		{callText("and", `true`, read("output.yes"), `"true"`), false},
		{callText("or", `1`, `"x"`, read("output.yes")), true},
		{callText("or", `1`, `null`), false},
		{callText("not", `1`), true},
		{callText("not", `true`), false},
		{callText("not", read("output.missing")), true},
		{callText("in", `"a"`, read("output.list")), true},
		{callText("in", `1.0`, read("output.list")), true},
		{callText("in", read("output.missing"), read("output.list")), true},
		{callText("in", `"b"`, `["a","b"]`), true},
		{callText("in", `"a"`, `"abc"`), false},
		{callText("includes", read("output.list"), `"a"`), true},
		{callText("includes", read("output.text"), `"üß"`), true},
		{callText("includes", read("output.text"), `1`), false},
		{callText("includes", read("output.missing"), `1`), false},
		{callText("startsWith", read("output.text"), `"Grü"`), true},
		{callText("startsWith", `1`, `1`), false},
		{callText("endsWith", read("output.text"), `"€"`), true},
		{callText("endsWith", read("output.text"), `null`), false},
		{callText("eq", callText("length", read("output.text")), `7`), true},
		{callText("eq", callText("length", read("output.list")), `4`), true},
		{callText("eq", callText("length", read("output.obj")), `2`), true},
		{callText("eq", callText("length", `5`), `null`), true},
		{callText("gt", callText("length", `5`), `-1`), false},
		{callText("isEmpty", read("output.missing")), true},
		{callText("isEmpty", read("output.empty")), true},
		{callText("isEmpty", read("output.list2")), true},
		{callText("isEmpty", read("output.obj2")), true},
		{callText("isEmpty", `false`), false},
		{callText("isEmpty", `0`), false},
		{callText("isEmpty", read("output.list")), false},
		{callText("exists", read("output.none")), false},
		{callText("exists", read("output.empty")), true},
		{callText("exists", read("output.list.3.k")), true},
		{callText("exists", read("output.list.4")), false},
		{callText("exists", read("output.list.-1")), false},
		{callText("exists", read("output.list.99999999999999999999")), false},
		{callText("exists", read("output.a.b")), false}, // a key with a dot cannot be reached
		{callText("eq", read("output.obj.a.b.1"), `20`), true},
		{callText("eq", read("output.obj.7"), `"seven"`), true},
		{callText("exists", read("output.decision.0")), false},
		{callText("regex", read("output.text"), `"^Gr.{2}e"`), true},
		{callText("regex", read("output.text"), `"(?i)GRÜSSE|€$"`), true},
		{callText("regex", read("output.big"), `"9"`), false},
		{callText("regex", `"ab"`, `"^b"`), false},
		{callText("eq", read("step.status"), `"completed"`), true},
		{callText("eq", read("step.retryCount"), `2`), true},
		{callText("eq", read("execution.input.title"), `"Spring"`), true},
		{read("execution.input.n.0.x"), true},
		{read("execution.triggerContext.n.0.x"), true},
		{callText("eq", callText("length", read("execution.input")), `2`), true},
		{callText("and", callText("eq", read("output.decision"), `"approve"`), callText("or", callText("gt", read("output.score"), `9`), callText("not", `false`))), true},
	} {
		e, err := Parse(c.when)
		if assert.NoError(t, err, c.when) {
			assert.Equal(t, c.want, e.Eval(roots), c.when)
		}
	}
}

func TestParseFindsEveryFault(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"op":"not","args":[`, MaxDepth) + "true" + strings.Repeat("]}", MaxDepth)
	for name, when := range map[string]string{
		"empty":                ``,
		"no JSON":              `{`,
		"cut":                  `{"op":"not","args":[true]`,
		"more behind":          read("output.a") + ` {}`,
		"bracket behind":       read("output.a") + `]`,
		"literal at the top":   `true`,
		"array at the top":     `[true]`,
		"string at the top":    `"output.a"`,
		"unknown key":          `{"var":"output.a","x":1}`,
		"key in other case":    `{"Var":"output.a"}`,
		"key twice":            `{"var":"output.a","var":"output.b"}`,
		"var and op":           `{"var":"output.a","op":"not","args":[1]}`,
		"op alone":             `{"op":"not"}`,
		"args alone":           `{"args":[]}`,
		"empty object":         `{}`,
		"var no text":          `{"var":1}`,
		"op no text":           `{"op":["not"],"args":[]}`,
		"args no array":        `{"op":"not","args":true}`,
		"args an object":       `{"op":"not","args":{"0":true}}`,
		"unknown op":           callText("xor", `true`, `true`),
		"op in other case":     callText("Eq", `1`, `1`),
		"too few":              callText("eq", `1`),
		"too many":             callText("not", `1`, `2`),
		"none":                 callText("and"),
		"fifty-one":            callText("or", strings.Split(strings.Repeat("1,", 50)+"1", ",")...),
		"exists of a literal":  callText("exists", `1`),
		"exists of an op":      callText("exists", callText("not", `1`)),
		"pattern no literal":   callText("regex", `"a"`, read("output.a")),
		"pattern no text":      callText("regex", `"a"`, `1`),
		"pattern faulty":       callText("regex", `"a"`, `"("`),
		"pattern with look":    callText("regex", `"a"`, `"(?=a)"`),
		"pattern long":         callText("regex", `"a"`, `"`+strings.Repeat("a", maxPattern+1)+`"`),
		"pattern repeats":      callText("regex", `"a"`, `"`+strings.Repeat(".{0,1000}", 20)+`"`),
		"op inside an array":   callText("in", `1`, `[{"var":"output.a"}]`),
		"unknown root":         read("input.a"),
		"execution alone":      read("execution"),
		"execution other":      read("execution.id"),
		"step alone":           read("step"),
		"step other":           read("step.output"),
		"step deeper":          read("step.status.x"),
		"empty path":           read(""),
		"empty part":           read("output..a"),
		"dot at the end":       read("output.a."),
		"too deep":             deep,
		"deep array":           callText("eq", strings.Repeat("[", MaxDepth)+strings.Repeat("]", MaxDepth), `1`),
		"too many values":      callText("in", `1`, "["+strings.Repeat("1,", MaxValues)+"1]"),
		"too long":             callText("eq", `"`+strings.Repeat("x", MaxText)+`"`, `1`),
		"not UTF-8":            "{\"var\":\"output.\xff\"}",
		"ten thousand deep":    strings.Repeat(`[`, 10_000),
		"ten thousand objects": strings.Repeat(`{"op":"not","args":[`, 10_000),
		"a number out of form": callText("eq", `01`, `1`),
		"a comma too many":     `{"op":"and","args":[true,]}`,
	} {
		e, err := Parse(when)
		assert.Error(t, err, name)
		assert.Nil(t, e, name)
	}
}

func TestTheLimitsThemselvesAreAllowed(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]string{
		"depth":    strings.Repeat(`{"op":"not","args":[`, MaxDepth-1) + "true" + strings.Repeat("]}", MaxDepth-1),
		"values":   callText("in", `1`, "["+strings.Repeat("1,", MaxValues-4)+"1]"),
		"operands": callText("or", strings.Split(strings.Repeat("1,", 49)+"1", ",")...),
		"length":   callText("eq", `"`+strings.Repeat("ü", MaxText-len(callText("eq", `""`, `1`)))+`"`, `1`),
		"pattern":  callText("regex", `"a"`, `"`+strings.Repeat("a", maxPattern)+`"`),
	} {
		_, err := Parse(when)
		assert.NoError(t, err, name)
	}
}

func TestHostileNumbersCostNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("9", 60_000)
	r := Roots{Output: json.RawMessage(`{"a":1e999999999,"b":` + long + `,"c":1e` + long + `,"d":0.` + strings.Repeat("0", 60_000) + `1}`)}
	began := time.Now()
	for when, want := range map[string]bool{
		callText("gt", read("output.a"), read("output.b")): true,
		callText("gt", read("output.c"), read("output.a")): true,
		callText("lt", read("output.d"), `1e-60000`):       true,
		callText("eq", read("output.d"), `1e-60001`):       true,
	} {
		e, err := Parse(when)
		require.NoError(t, err)
		assert.Equal(t, want, e.Eval(r), when)
	}
	assert.Less(t, time.Since(began), 2*time.Second)
}

func TestTheWorstPatternStaysBounded(t *testing.T) {
	t.Parallel()
	e, err := Parse(callText("regex", read("output.t"), `".{0,900}y"`))
	require.NoError(t, err)
	text := strings.Repeat("x", maxMatched+10)
	began := time.Now()
	assert.False(t, e.Eval(Roots{Output: json.RawMessage(`{"t":"` + text + `"}`)}))
	assert.Less(t, time.Since(began), 20*time.Second)
}

func TestAPatternSeesTheFirst64KiBOnly(t *testing.T) {
	t.Parallel()
	e, err := Parse(callText("regex", read("output.t"), `"z"`))
	require.NoError(t, err)
	for _, c := range []struct {
		text string
		want bool
	}{
		{strings.Repeat("a", maxMatched-1) + "z", true},
		{strings.Repeat("a", maxMatched) + "z", false},
		{strings.Repeat("€", maxMatched/3) + "z", true},
		{strings.Repeat("€", maxMatched/3+1) + "z", false}, // cut between two characters
	} {
		assert.Equal(t, c.want, e.Eval(Roots{Output: json.RawMessage(`{"t":"` + c.text + `"}`)}), len(c.text))
	}
}

func TestDamagedRootsReadAsNull(t *testing.T) {
	t.Parallel()
	e, err := Parse(callText("exists", read("output.a")))
	require.NoError(t, err)
	for _, text := range []string{``, `{`, `null`, `[]`, `"a"`, strings.Repeat("[", 20_000)} {
		assert.False(t, e.Eval(Roots{Output: json.RawMessage(text)}), text)
	}
}

func TestNewRootsDecodesOnce(t *testing.T) {
	t.Parallel()
	shared := NewRoots(roots.Output, roots.Step, roots.Input)
	e, err := Parse(read("output.yes"))
	require.NoError(t, err)
	require.True(t, e.Eval(shared))
	shared.cache.texts[outputRoot] = nil
	require.True(t, e.Eval(shared), "the second time reads what the first decoded")
	require.False(t, shared.cache.decoded[inputRoot], "what nobody reads is not decoded")
}

func TestOneExpressionServesManyGoroutines(t *testing.T) {
	t.Parallel()
	e, err := Parse(callText("regex", read("output.text"), `"^Gr"`))
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				assert.True(t, e.Eval(roots))
			}
		})
	}
	all.Wait()
}

func TestTheTreeIsTheNotationItself(t *testing.T) {
	t.Parallel()
	when := `{ "op" : "and", "args":[{"args":[{"var":"output.a"},[1.50,"<&>",null,true,[]]],"op":"in"},{"var":"step.status"}] }`
	e, err := Parse(when)
	require.NoError(t, err)
	require.Equal(t, when, e.String())
	tree, err := encode(e)
	require.NoError(t, err)
	require.Equal(t, `{"op":"and","args":[{"op":"in","args":[{"var":"output.a"},[1.50,"<&>",null,true,[]]]},{"var":"step.status"}]}`, string(tree))
	again, err := Parse(string(tree))
	require.NoError(t, err)
	second, err := encode(again)
	require.NoError(t, err)
	require.Equal(t, tree, second)
}

func TestNames(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]bool{
		callText("eq", read("step.status"), `"breached"`):                                             true,
		callText("not", callText("in", read("step.status"), `["failed","breached"]`)):                 true,
		callText("and", callText("exists", read("step.status")), callText("eq", `"breached"`, `"x"`)): true,
		callText("eq", read("step.status"), `"completed"`):                                            false,
		callText("eq", read("output.status"), `"breached"`):                                           false,
		callText("regex", read("step.status"), `"^breach"`):                                           false,
	} {
		e, err := Parse(when)
		require.NoError(t, err)
		assert.Equal(t, want, e.Names("step.status", "breached"), when)
	}
}
