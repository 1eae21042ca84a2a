package rpc

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/shape"
)

// shelf holds lists in all ways, and itself.
type shelf struct {
	Books   []string          `json:"books"`
	Labels  map[string]string `json:"labels"`
	Unset   []string          `json:"unset" nullable:"true"`
	LeftOut []string          `json:"leftOut,omitempty"`
	Boards  []shelf           `json:"boards"`
	Above   *shelf            `json:"above"`
	Text    json.RawMessage   `json:"text"`
	Free    shape.Object      `json:"free,omitempty"`
	Found   Slots[shelf]      `json:"found"`
	Named   Keyed[shelf]      `json:"named"`
	Far     *map[string]int   `json:"far,omitempty"`
}

func TestListsOfAnAnswerAreNeverNull(t *testing.T) {
	const bare = `{"books":[],"labels":{},"unset":null,"boards":[],"above":null,"text":null,"found":[],"named":{}}`
	write := func(result any) string {
		var text bytes.Buffer
		require.NoError(t, encodeResult(&text, result))
		return text.String()
	}
	require.JSONEq(t, `{"result":`+bare+`}`, write(&shelf{}))
	require.JSONEq(t, `{"result":[`+bare+`]}`, write(&[]shelf{{}}))
	require.JSONEq(t, `{"result":{"status":"success","message":"","data":`+bare+`}}`, write(Succeed("", shelf{})))
	deep := &shelf{Boards: []shelf{{}}, Above: &shelf{}, Found: Slots[shelf]{nil, {}}, Named: Keyed[shelf]{{"a", shelf{}}}, Far: new(map[string]int)}
	require.JSONEq(t, `{"result":{"books":[],"labels":{},"unset":null,"boards":[`+bare+`],"above":`+bare+`,"text":null,
		"found":[null,`+bare+`],"named":{"a":`+bare+`},"far":null}}`, write(deep))
	require.JSONEq(t, `{"result":null}`, write((*shelf)(nil)))
}
