package embed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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

// A redirect is a refusal: neither the texts nor the key go on to another address.
func TestHTTPFollowsNoRedirect(t *testing.T) {
	for _, code := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		var elsewhere atomic.Int32
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
		h := endpoint(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/stolen", code) })
		_, err := h.Embed(t.Context(), []string{"text"}, embed.Passage)
		require.ErrorContains(t, err, fmt.Sprint("answered ", code))
		other.Close()
		require.Zero(t, elsewhere.Load())
	}
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

// vector is the answer to one text, of two dimensions.
const vector = `{"data":[{"index":0,"embedding":[3,4]}]}`

// busy is a provider whose endpoint answers with these codes first, then with a vector,
// and when it was asked.
func busy(t *testing.T, after func() string, codes ...int) (*embed.HTTP, *[]time.Duration) {
	t.Helper()
	begun, asked := time.Now(), &[]time.Duration{}
	h, err := embed.NewHTTP(embed.HTTPOptions{URL: "http://embed.test", Model: "m", Dimensions: 2, Client: &http.Client{
		Transport: answers(func(w http.ResponseWriter) {
			if *asked = append(*asked, time.Since(begun)); len(*asked) <= len(codes) {
				w.Header().Set("Retry-After", after())
				w.WriteHeader(codes[len(*asked)-1])
				return
			}
			_, _ = io.WriteString(w, vector)
		}),
	}})
	require.NoError(t, err)
	return h, asked
}

func TestHTTPTriesAgainAsLongAsTheEndpointAsks(t *testing.T) {
	inAnHour := func() string { return time.Now().Add(time.Hour).UTC().Format(http.TimeFormat) }
	for name, way := range map[string]struct {
		after func() string
		code  int
		want  time.Duration
	}{
		"seconds":         {func() string { return "7" }, http.StatusTooManyRequests, 7 * time.Second},
		"server's fault":  {func() string { return "7" }, http.StatusServiceUnavailable, 7 * time.Second},
		"date":            {func() string { return time.Now().Add(9 * time.Second).UTC().Format(http.TimeFormat) }, http.StatusTooManyRequests, 9 * time.Second},
		"date gone by":    {func() string { return time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat) }, http.StatusTooManyRequests, 250 * time.Millisecond},
		"a long time":     {func() string { return "86400" }, http.StatusTooManyRequests, 5 * time.Minute},
		"a far date":      {inAnHour, http.StatusTooManyRequests, 5 * time.Minute},
		"beyond counting": {func() string { return "9223372036854775807" }, http.StatusTooManyRequests, 5 * time.Minute},
		"nothing":         {func() string { return "" }, http.StatusTooManyRequests, 250 * time.Millisecond},
		"nonsense":        {func() string { return "soon" }, http.StatusBadGateway, 250 * time.Millisecond},
		"below nothing":   {func() string { return "-5" }, http.StatusTooManyRequests, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, asked := busy(t, way.after, way.code)
				vectors, err := h.Embed(t.Context(), []string{"a"}, embed.Passage)
				require.NoError(t, err)
				require.InDeltaSlice(t, []float64{0.6, 0.8}, []float64{float64(vectors[0][0]), float64(vectors[0][1])}, 1e-6)
				require.Equal(t, []time.Duration{0, way.want}, *asked)
			})
		})
	}
}

func TestHTTPGivesUpAfterSomeTries(t *testing.T) {
	always := slices.Repeat([]int{http.StatusServiceUnavailable}, 10)
	nothing := func() string { return "" }
	synctest.Test(t, func(t *testing.T) {
		h, asked := busy(t, nothing, always...)
		_, err := h.Embed(t.Context(), []string{"a"}, embed.Passage)
		require.ErrorContains(t, err, "503")
		require.Equal(t, []time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond, 1750 * time.Millisecond}, *asked)
	})
	synctest.Test(t, func(t *testing.T) {
		h, asked := busy(t, nothing, always...)
		_, err := h.Embed(t.Context(), []string{"a"}, embed.Query)
		require.ErrorContains(t, err, "503")
		require.Equal(t, []time.Duration{0, 250 * time.Millisecond}, *asked, "somebody waits for the answer")
	})
}

// A question that cannot be asked again in time is answered without its vector at once.
func TestHTTPDoesNotWaitBeyondTheTimeThereIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, asked := busy(t, func() string { return "7" }, http.StatusTooManyRequests)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := h.Embed(ctx, []string{"a"}, embed.Query)
		require.ErrorContains(t, err, "429")
		require.Zero(t, time.Since(begun))
		require.Len(t, *asked, 1)
	})
}

// An answer that breaks off may come whole the next time.
func TestHTTPTriesAgainWhenAnAnswerBreaksOff(t *testing.T) {
	var calls atomic.Int32
	h := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Content-Length", "1000")
		}
		_, _ = io.WriteString(w, vector)
	})
	_, err := h.Embed(t.Context(), []string{"a"}, embed.Query)
	require.NoError(t, err)
	require.EqualValues(t, 2, calls.Load())
}

func TestHTTPRefusesWhatIsNoVector(t *testing.T) {
	for name, body := range map[string]string{
		"too short":  `{"data":[{"index":0,"embedding":[1]}]}`,
		"too long":   `{"data":[{"index":0,"embedding":[1,0,0]}]}`,
		"zero":       `{"data":[{"index":0,"embedding":[0,0]}]}`,
		"not number": `{"data":[{"index":0,"embedding":["a",1]}]}`,
		"index":      `{"data":[{"index":1,"embedding":[1,0]}]}`,
		"null":       `{"data":[{"index":0,"embedding":[null,1]}]}`,
		"no list":    `{"data":[{"index":0,"embedding":null}]}`,
		"too large":  `{"data":[{"index":0,"embedding":[1e300,1]}]}`,
		"none":       `{"data":[]}`,
		"two":        `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0]}]}`,
		"twice":      `{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[0,1]}]}`,
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
