package embed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/embed"
)

// endpoint answers as the function says, and a provider that asks it.
func endpoint(t *testing.T, answer http.HandlerFunc) *embed.HTTP {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	h, err := embed.NewHTTP(embed.HTTPOptions{URL: server.URL + "/v1/", APIKey: "k-1", Model: "m", Dimensions: 2})
	require.NoError(t, err)
	return h
}

func TestHTTPAsksInBatchesAndPutsVectorsAtTheirIndex(t *testing.T) {
	var sizes []int
	h := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model      string
			Input      []string
			Dimensions int
		}
		assertAsked := json.NewDecoder(r.Body).Decode(&asked) == nil && r.URL.Path == "/v1/embeddings" &&
			r.Header.Get("Authorization") == "Bearer k-1" && asked.Model == "m" && asked.Dimensions == 2
		if !assertAsked {
			http.Error(w, "not asked so", http.StatusBadRequest)
			return
		}
		sizes = append(sizes, len(asked.Input))
		items := make([]string, len(asked.Input))
		for i, text := range asked.Input {
			items[len(items)-1-i] = fmt.Sprintf(`{"index":%d,"embedding":[%d,0]}`, i, len(text)+1)
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(items, ","))
	})
	vectors, err := h.Embed(context.Background(), make([]string, 130), embed.Passage)
	require.NoError(t, err)
	require.Equal(t, []int{64, 64, 2}, sizes)
	require.Len(t, vectors, 130)
	require.Equal(t, []float32{1, 0}, vectors[129])
}

// However many sources are being embedded, the endpoint gets 64 requests at once,
// and a question goes past them.
func TestHTTPBoundsRequestsWithPassages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		var over atomic.Bool
		done := make(chan struct{})
		h, err := embed.NewHTTP(embed.HTTPOptions{URL: "http://embed.test", Model: "m", Dimensions: 2, Client: &http.Client{
			Transport: asking(func(body string) string {
				if strings.Contains(body, "passage") {
					if open.Add(1) > 64 {
						over.Store(true)
					}
					<-done
					open.Add(-1)
				}
				return `{"data":[{"index":0,"embedding":[3,4]}]}`
			}),
		}})
		require.NoError(t, err)
		var callers errgroup.Group
		for range 100 {
			callers.Go(func() error {
				_, err := h.Embed(t.Context(), []string{"passage"}, embed.Passage)
				return err
			})
		}
		synctest.Wait()
		require.EqualValues(t, 64, open.Load())
		_, err = h.Embed(t.Context(), []string{"question"}, embed.Query)
		require.NoError(t, err)
		close(done)
		require.NoError(t, callers.Wait())
		require.False(t, over.Load())
	})
}

// asking plays an endpoint that answers to what it is asked.
type asking func(body string) string

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	w := httptest.NewRecorder()
	_, _ = w.WriteString(a(string(body)))
	return w.Result(), err
}

// answers plays an endpoint without a connection, whose waits would be real.
type answers func(w http.ResponseWriter)

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w)
	return w.Result(), nil
}

func TestHTTPTriesAgainAsLongAsTheEndpointAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Time
		h, err := embed.NewHTTP(embed.HTTPOptions{URL: "http://embed.test", Model: "m", Dimensions: 2, Client: &http.Client{
			Transport: answers(func(w http.ResponseWriter) {
				if asked = append(asked, time.Now()); len(asked) == 1 {
					w.Header().Set("Retry-After", "7")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				_, _ = w.Write([]byte(`{"data":[{"index":0,"embedding":[3,4]}]}`))
			}),
		}})
		require.NoError(t, err)
		vectors, err := h.Embed(t.Context(), []string{"a"}, embed.Query)
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{0.6, 0.8}, []float64{float64(vectors[0][0]), float64(vectors[0][1])}, 1e-6)
		require.Len(t, asked, 2)
		require.Equal(t, 7*time.Second, asked[1].Sub(asked[0]))
	})
}

func TestHTTPRefusesWhatIsNoVector(t *testing.T) {
	for name, body := range map[string]string{
		"length":     `{"data":[{"index":0,"embedding":[1]}]}`,
		"zero":       `{"data":[{"index":0,"embedding":[0,0]}]}`,
		"not number": `{"data":[{"index":0,"embedding":["a",1]}]}`,
		"index":      `{"data":[{"index":1,"embedding":[1,0]}]}`,
		"missing":    `{"data":[]}`,
		"nonsense":   `<html>`,
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			h := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				_, _ = w.Write([]byte(body))
			})
			_, err := h.Embed(context.Background(), []string{"a"}, embed.Query)
			require.ErrorIs(t, err, embed.ErrVector)
			require.EqualValues(t, 1, calls.Load())
		})
	}
}

func TestHTTPDoesNotTryARefusalAgain(t *testing.T) {
	var calls atomic.Int32
	h := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	})
	_, err := h.Embed(context.Background(), []string{"a"}, embed.Query)
	require.ErrorContains(t, err, "401")
	require.EqualValues(t, 1, calls.Load())
}

func TestHTTPWantsItsSettings(t *testing.T) {
	_, err := embed.NewHTTP(embed.HTTPOptions{URL: "http://127.0.0.1"})
	require.Error(t, err)
}

func TestLexicalKnowsSharedWords(t *testing.T) {
	v, err := embed.Lexical{}.Embed(context.Background(), []string{"red apple pie", "an apple", "blue sky", ""}, embed.Query)
	require.NoError(t, err)
	require.Greater(t, embed.Cosine(v[0], v[1]), embed.Cosine(v[0], v[2]))
	require.InDelta(t, 1, embed.Cosine(v[3], v[3]), 1e-5)
}
