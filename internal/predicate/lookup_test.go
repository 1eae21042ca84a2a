package predicate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// However many values are looked for in one list, each is found as in a list that is gone through.
func TestManyLooksIntoAListFindWhatOneDoes(t *testing.T) {
	t.Parallel()
	elements := []string{
		`null`, `true`, `false`, `""`, `"0"`, `0`, `-0.0e7`, `10`, `1e1`, `-10`, `1e999999999`, `[]`, `[[]]`, `[1,2]`, `[2,1]`, `[1.0,2]`,
		`{}`, `{"a":1,"b":[null]}`, `{"b":[null],"a":1.0}`, `{"a":null}`, `{"a":[null],"b":1}`,
	}
	for left := range elements {
		list := append([]string{`7`}, elements[:left]...)
		list = append(list, elements[left+1:]...)
		text := fmt.Sprintf(`{"list":[%s],"all":[%s]}`, strings.Join(list, ","), strings.Join(elements, ","))
		shared := NewRoots(json.RawMessage(text), nil, nil)
		for i := range elements {
			for _, when := range []string{
				callText("in", read(fmt.Sprintf("output.all.%d", i)), read("output.list")),
				callText("includes", read("output.list"), read(fmt.Sprintf("output.all.%d", i))),
			} {
				e, err := Parse(when)
				require.NoError(t, err)
				require.Equal(t, e.Eval(NewRoots(json.RawMessage(text), nil, nil)), e.Eval(shared), "%s in %s", elements[i], text)
			}
		}
		require.NotNil(t, shared.cache.lookups["output.list"].bySum)
	}
}

// The edges of one source may look for as many values as they have room for: a long list is not gone through for each of them.
func TestALongListIsNotGoneThroughForEachOfManyValues(t *testing.T) {
	t.Parallel()
	const length = 10_000
	shared := NewRoots(json.RawMessage("["+strings.Repeat("1,", length)+"2]"), nil, nil)
	for wanted := range 100 {
		e, err := Parse(callText("in", strconv.Itoa(wanted), read("output")))
		require.NoError(t, err)
		require.Equal(t, wanted == 1 || wanted == 2, e.Eval(shared), wanted)
	}
	found := shared.cache.lookups["output"]
	require.Equal(t, []int{2, length, 1}, []int{len(found.bySum), len(found.bySum[sum(numberOf("1.0"))]), len(found.bySum[sum(numberOf("2"))])})
}
