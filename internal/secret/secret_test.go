package secret_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/secret"
)

var binding = secret.Binding{Table: "auth_tokens", Column: "sealed", Row: "ak_1", Workspace: "ws_1"}

func box(t *testing.T, encryption, hash []secret.Key) *secret.Box {
	t.Helper()
	made, err := secret.NewBox(encryption, hash)
	require.NoError(t, err)
	return made
}

func one(t *testing.T) *secret.Box {
	t.Helper()
	return box(t, []secret.Key{secret.NewKey("e1")}, []secret.Key{secret.NewKey("h1")})
}

func TestSealedValuesOpenOnlyUnderTheirBinding(t *testing.T) {
	b := one(t)
	sealed := b.Seal(binding, []byte("kat_secret"))
	opened, err := b.Open(binding, sealed)
	require.NoError(t, err)
	assert.Equal(t, "kat_secret", string(opened))
	assert.NotContains(t, string(sealed), "kat_secret")

	elsewhere := map[string]secret.Binding{
		"table":     {Table: "workspaces", Column: "sealed", Row: "ak_1", Workspace: "ws_1"},
		"column":    {Table: "auth_tokens", Column: "other", Row: "ak_1", Workspace: "ws_1"},
		"row":       {Table: "auth_tokens", Column: "sealed", Row: "ak_2", Workspace: "ws_1"},
		"workspace": {Table: "auth_tokens", Column: "sealed", Row: "ak_1", Workspace: "ws_2"},
		"shifted":   {Table: "auth_token", Column: "ssealed", Row: "ak_1", Workspace: "ws_1"},
	}
	for name, other := range elsewhere {
		_, err := b.Open(other, sealed)
		assert.ErrorIs(t, err, secret.ErrUnreadable, name)
	}
}

func TestEveryDamageIsNoticed(t *testing.T) {
	b := one(t)
	sealed := b.Seal(binding, []byte("value"))
	for i := range sealed {
		damaged := bytes.Clone(sealed)
		damaged[i] ^= 1
		_, err := b.Open(binding, damaged)
		require.ErrorIs(t, err, secret.ErrUnreadable, "byte %d", i)
		_, err = b.Open(binding, sealed[:i])
		assert.ErrorIs(t, err, secret.ErrUnreadable, "cut at %d", i)
	}
}

func TestNoncesAreFresh(t *testing.T) {
	b := one(t)
	first, second := b.Seal(binding, []byte("same")), b.Seal(binding, []byte("same"))
	assert.NotEqual(t, first, second)
}

func TestSealAndOpenAreInverse(t *testing.T) {
	b := one(t)
	rapid.Check(t, func(r *rapid.T) {
		at := secret.Binding{
			Table: rapid.String().Draw(r, "table"), Column: rapid.String().Draw(r, "column"),
			Row: rapid.String().Draw(r, "row"), Workspace: rapid.String().Draw(r, "workspace"),
		}
		plain := rapid.SliceOf(rapid.Byte()).Draw(r, "plain")
		opened, err := b.Open(at, b.Seal(at, plain))
		if err != nil || !bytes.Equal(opened, plain) {
			r.Fatalf("got %q, %v", opened, err)
		}
	})
}

func TestEncryptionKeysRotate(t *testing.T) {
	older, newer, hash := secret.NewKey("old"), secret.NewKey("new"), []secret.Key{secret.NewKey("h")}
	before := box(t, []secret.Key{older}, hash)
	readsBoth := box(t, []secret.Key{older, newer}, hash)
	writesNew := box(t, []secret.Key{newer, older}, hash)
	after := box(t, []secret.Key{newer}, hash)

	underOld, underNew := readsBoth.Seal(binding, []byte("v")), writesNew.Seal(binding, []byte("v"))
	keyID, err := secret.SealedKeyID(underOld)
	require.NoError(t, err)
	assert.Equal(t, "old", keyID)
	assert.Equal(t, "new", writesNew.WritingKeyID())

	for name, opened := range map[string]struct {
		by     *secret.Box
		sealed []byte
	}{
		"old by the old one":    {before, underOld},
		"new by who reads both": {readsBoth, underNew},
		"old by who writes new": {writesNew, underOld},
		"new by the new one":    {after, underNew},
	} {
		plain, err := opened.by.Open(binding, opened.sealed)
		require.NoError(t, err, name)
		assert.Equal(t, "v", string(plain), name)
	}
	_, err = after.Open(binding, underOld)
	assert.ErrorIs(t, err, secret.ErrUnreadable)
}

func TestALastingMACIsThatOfItsKeyAlone(t *testing.T) {
	one := secret.Lasting([]byte("ws_1"), []byte("ab"), []byte("c"))
	require.Equal(t, one, secret.Lasting([]byte("ws_1"), []byte("ab"), []byte("c")))
	require.NotEqual(t, one, secret.Lasting([]byte("ws_1"), []byte("a"), []byte("bc")))
	require.NotEqual(t, one, secret.Lasting([]byte("ws_2"), []byte("ab"), []byte("c")))
}

func TestMACsDifferByUsePartsAndKey(t *testing.T) {
	b := one(t)
	reference := b.MAC("use", []byte("ab"), []byte("c"))
	assert.Len(t, reference, secret.MACSize)
	assert.Equal(t, reference, b.MAC("use", []byte("ab"), []byte("c")))
	assert.NotEqual(t, reference, b.MAC("other", []byte("ab"), []byte("c")))
	assert.NotEqual(t, reference, b.MAC("use", []byte("a"), []byte("bc")))
	assert.NotEqual(t, reference, b.MAC("use", []byte("abc")))
	assert.NotEqual(t, reference, one(t).MAC("use", []byte("ab"), []byte("c")))
}

func TestHashKeysRotate(t *testing.T) {
	older, newer, encryption := secret.NewKey("old"), secret.NewKey("new"), []secret.Key{secret.NewKey("e")}
	before, both := box(t, encryption, []secret.Key{older}), box(t, encryption, []secret.Key{newer, older})
	mac := before.MAC("use", []byte("token"))
	assert.Equal(t, [][]byte{both.MAC("use", []byte("token")), mac}, both.MACs("use", []byte("token")))
	assert.True(t, both.Verify("use", mac, []byte("token")))
	assert.False(t, both.Verify("use", mac, []byte("Token")))
	assert.False(t, both.Verify("other", mac, []byte("token")))
	assert.False(t, both.Verify("use", nil, []byte("token")))
	assert.Equal(t, "new", both.HashKeyID())
}

func TestEqual(t *testing.T) {
	assert.True(t, secret.Equal([]byte("a"), []byte("a")))
	assert.False(t, secret.Equal([]byte("a"), []byte("b")))
	assert.False(t, secret.Equal([]byte("a"), []byte("ab")))
}

func TestParseKeys(t *testing.T) {
	first, second := secret.NewKey("k-1"), secret.NewKey("k.2")
	keys, err := secret.ParseKeys(first.Encode() + ", " + second.Encode())
	require.NoError(t, err)
	assert.Equal(t, []secret.Key{first, second}, keys)
}

func TestParseKeysRefusesAndQuotesNothing(t *testing.T) {
	value := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, secret.KeySize))
	for name, text := range map[string]string{
		"empty":           "",
		"blank":           "  ",
		"no id":           value,
		"empty id":        ":" + value,
		"id with space":   "a b:" + value,
		"long id":         strings.Repeat("a", 33) + ":" + value,
		"not base64":      "a:" + strings.Repeat("!", 44),
		"short":           "a:" + base64.StdEncoding.EncodeToString([]byte("short")),
		"long":            "a:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 33)),
		"trailing comma":  "a:" + value + ",",
		"one name twice":  "a:" + value + "," + secret.NewKey("a").Encode(),
		"one value twice": "a:" + value + ",b:" + value,
	} {
		_, err := secret.ParseKeys(text)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), value, name)
	}
}

func TestNewBoxRefuses(t *testing.T) {
	key := secret.NewKey("a")
	same := secret.Key{ID: "b", Bytes: key.Bytes}
	for name, keys := range map[string][2][]secret.Key{
		"no encryption key":      {nil, {key}},
		"no hash key":            {{key}, nil},
		"one key for both":       {{key}, {same}},
		"nameless":               {{{Bytes: key.Bytes}}, {secret.NewKey("h")}},
		"two keys with one name": {{key, secret.NewKey("a")}, {secret.NewKey("h")}},
	} {
		_, err := secret.NewBox(keys[0], keys[1])
		assert.Error(t, err, name)
	}
}

func TestPrintingShowsNoKey(t *testing.T) {
	key := secret.NewKey("name")
	b := box(t, []secret.Key{key}, []secret.Key{secret.NewKey("h")})
	encoded := fmt.Sprintf("%v", key.Bytes[:4])
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		text := fmt.Sprintf(verb+" "+verb, key, b)
		assert.Contains(t, text, "name")
		assert.NotContains(t, text, strings.Trim(encoded, "[]"))
	}
	assert.Equal(t, "key name", key.LogValue().String())
	assert.Equal(t, "box(name, h)", b.LogValue().String())
}

func TestBoxIsSharedByGoroutines(t *testing.T) {
	b := one(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			sealed := b.Seal(binding, b.MAC("use", []byte("x")))
			opened, err := b.Open(binding, sealed)
			assert.True(t, err == nil && b.Verify("use", opened, []byte("x")))
		})
	}
	wait.Wait()
}
