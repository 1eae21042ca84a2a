package signed

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/secret"
)

// downloadToken is that of an address of the original of a version.
func downloadToken(t *testing.T) (Signer, string) {
	t.Helper()
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	k := Signer{Box: box, PublicURL: "https://api.example.com"}
	address := k.URL(Download{WorkspaceID: "ws_a", SourceID: "src_a", Version: 3, File: "original"})
	token, found := strings.CutPrefix(address, "https://api.example.com"+Path)
	require.True(t, found, address)
	return k, token
}

func TestADownloadAddressIsGoodForFifteenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, token := downloadToken(t)
		time.Sleep(15*time.Minute - time.Millisecond)
		said, err := k.Read(token)
		require.NoError(t, err)
		require.Equal(t, []any{"ws_a", "src_a", 3, "original"}, []any{said.WorkspaceID, said.SourceID, said.Version, said.File})
		time.Sleep(time.Millisecond)
		_, err = k.Read(token)
		require.Error(t, err)
	})
}

func TestEveryChangedCharacterOfADownloadAddressIsRefused(t *testing.T) {
	k, token := downloadToken(t)
	for i := range token {
		changed := []byte(token)
		if changed[i]++; changed[i] == token[i] || !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.", rune(changed[i])) {
			changed[i] = 'A'
		}
		if string(changed) == token {
			changed[i] = 'B'
		}
		_, err := k.Read(string(changed))
		require.Error(t, err, "character %d of %s", i, token)
	}
	for _, other := range []string{"", ".", token[:len(token)-1], token + "A", token + ".", "." + token, token + "\n"} {
		_, err := k.Read(other)
		require.Error(t, err, other)
	}
}
