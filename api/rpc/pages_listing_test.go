package rpc

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAListingIsAnArrayOrAPage(t *testing.T) {
	for text, of := range map[string]*Listing[string]{
		`[]`:      {},
		`["a&b"]`: {Items: []string{"a&b"}},
		`{"items":[],"nextCursor":null,"hasMore":false}`:  {Paged: true},
		`{"items":["a"],"nextCursor":"t","hasMore":true}`: {Items: []string{"a"}, Paged: true, Next: new("t")},
	} {
		written := &bytes.Buffer{}
		require.NoError(t, encodeResult(written, of))
		require.Equal(t, `{"result":`+text+`}`, written.String())
		var read Listing[string]
		require.NoError(t, json.Unmarshal([]byte(text), &read))
		require.Equal(t, *of, read)
	}
}
