package predicate

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

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
	for _, c := range answers {
		e, err := Parse(c.when)
		if assert.NoError(t, err, c.when) {
			assert.Equal(t, c.want, e.Eval(roots), c.when)
		}
	}
}

func TestParseFindsEveryFault(t *testing.T) {
	t.Parallel()
	for name, when := range faults {
		e, err := Parse(when)
		require.Error(t, err, name)
		require.Nil(t, e, name)
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

// Written out, these numbers would fill all memory long before they compare.
func TestHostileNumbersCostNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("9", 60_000)
	r := Roots{Output: json.RawMessage(`{"a":1e999999999,"b":` + long + `,"c":1e` + long + `,"d":0.` + strings.Repeat("0", 60_000) + `1}`)}
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
}

func TestPatternsShareOneProgramSize(t *testing.T) {
	t.Parallel()
	half := callText("regex", read("output.t"), `".{0,490}"`)
	_, err := Parse(callText("and", half, half))
	require.NoError(t, err)
	_, err = Parse(callText("and", half, half, half))
	require.Error(t, err)
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

// However many paths lead into each other, and however many edges compare the same, each value is decoded and compared once.
func TestWhatPathsShareIsDecodedAndComparedOnce(t *testing.T) {
	t.Parallel()
	const nested = 60
	list := strings.Repeat("[", nested) + `1,{"k":"v"}` + strings.Repeat("]", nested)
	shared := NewRoots(json.RawMessage(`{"a":`+list+`,"b": `+list+`}`), nil, nil)
	path := ""
	for range nested - 1 {
		path += ".0"
		e, err := Parse(callText("eq", read("output.a"+path), read("output.b"+path)))
		require.NoError(t, err)
		require.True(t, e.Eval(shared), path)
		require.True(t, e.Eval(shared), path)
	}
	require.Len(t, shared.cache.compared, nested-1)
	require.Len(t, shared.cache.decoded, 1, "the root")
	for when, want := range map[string]bool{
		callText("eq", read("output.a"+path+".1.k"), `"v"`): true, callText("eq", read("output.a"+path+".0"), `1`): true,
		callText("exists", read("output.a"+path+".2")): false, callText("eq", callText("length", read("output")), `2`): true,
		callText("ne", read("output.a"), read("output.b")): false, callText("includes", read("output.a"+path), `1`): true,
	} {
		e, err := Parse(when)
		require.NoError(t, err)
		require.Equal(t, want, e.Eval(shared), when)
	}
	require.Len(t, shared.cache.decoded, 4, "and a text, a number and nothing")
}

func TestNewRootsReadsOnce(t *testing.T) {
	t.Parallel()
	shared := NewRoots(roots.Output, roots.Step, roots.Input)
	e, err := Parse(read("output.yes"))
	require.NoError(t, err)
	require.True(t, e.Eval(shared))
	shared.cache.texts[outputRoot] = nil
	require.True(t, e.Eval(shared), "the second time uses what the first read")
	require.False(t, shared.cache.read[inputRoot], "what nobody asks for is not read")
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
