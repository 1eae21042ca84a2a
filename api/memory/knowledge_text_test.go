package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/fault"
)

// canonical is a store in which every source has that file; empty is none.
type canonical struct {
	knowledgeStore

	key string
}

func (c canonical) Canonical(context.Context, string, string) (string, error) { return c.key, nil }

// textOf is a store of files in which every file is one text.
type textOf struct {
	fileStore

	key   string
	text  io.Reader
	read  error
	ended bool
}

func (s *textOf) Read(context.Context, string) (blob.Reader, error) { return &openText{of: s}, s.read }

// openText is the file of a text.
type openText struct {
	blob.Reader

	of *textOf
}

func (o *openText) Read(into []byte) (int, error) { return o.of.text.Read(into) }
func (o *openText) Size() int64                   { return 0 }

func (o *openText) Close() error {
	o.of.ended = true
	return nil
}

func (s *textOf) download() (**string, error) {
	k := NewKnowledge(KnowledgeParts{Store: canonical{key: s.key}, Files: s})
	return k.Download(context.Background(), &NamedSource{SourceID: "src_a"})
}

// Whatever a text holds and however it comes, it is answered as it is.
func TestATextIsAnsweredAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		store := &textOf{key: "k", text: bytes.NewReader([]byte(text))}
		if rapid.Bool().Draw(t, "byte by byte") {
			store.text = iotest.OneByteReader(store.text)
		}
		got, err := store.download()
		require.NoError(t, err)
		written, err := json.Marshal(got)
		require.NoError(t, err)
		var read string
		require.NoError(t, json.Unmarshal(written, &read), string(written))
		require.Equal(t, text, read)
		require.True(t, store.ended, "the file is closed")
	})
}

func TestASourceWithoutATextIsNull(t *testing.T) {
	got, err := (&textOf{}).download()
	require.NoError(t, err)
	require.Nil(t, *got)
}

// A caller must not take half a text for a whole one.
func TestATextThatCannotBeReadIsAnError(t *testing.T) {
	broken := io.MultiReader(bytes.NewReader([]byte("half")), iotest.ErrReader(errors.New("bucket hunter2")))
	for _, store := range []*textOf{{key: "k", read: errors.New("bucket hunter2")}, {key: "k", text: broken}} {
		_, err := store.download()
		require.True(t, fault.Is(err, fault.StatusUnavailable), err)
	}
}
