package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of talking to an endpoint.
const (
	// httpBatch is how many texts one request carries.
	httpBatch = 64
	// httpTries are the tries of one request with passages or reviews, httpQueryTries those of one
	// with a question, for which somebody waits. Between them it waits as long as the
	// endpoint asks, at most httpLongestWait, or httpFirstWait, twice that, and so on.
	httpTries, httpQueryTries = 4, 2
	httpFirstWait             = 250 * time.Millisecond
	httpLongestWait           = 5 * time.Minute
	httpTimeout               = 60 * time.Second
	// httpConnections are kept open, for as many questions at once.
	httpConnections = 64
	// HTTPPassages is how many requests with passages are under way at once in a
	// process, their pauses included; questions do not wait behind them. More would
	// each open a connection of their own. Far fewer would let a handful of texts
	// over which an endpoint hangs keep all others waiting.
	HTTPPassages = httpConnections
	// httpAnswer bounds an answer: 64 vectors of 4,096 numbers as text.
	httpAnswer = 16 << 20
)

// HTTPOptions say where the endpoint is. The address is the operator's own, so
// it is called without a guard.
type HTTPOptions struct {
	// URL is the base, to which /embeddings is added.
	URL, APIKey, Model string
	// Dimensions of the vectors; the endpoint is asked for them.
	Dimensions int
	// Client is http.DefaultClient's kind; nil for one with a limit of a minute.
	Client *http.Client //nolint:forbidigo // the address is the operator's own
}

// HTTP asks an endpoint of the OpenAI form (also Ollama, TEI, vLLM).
type HTTP struct {
	o HTTPOptions
	// passages holds a slot for every request with passages.
	passages chan struct{}
}

// NewHTTP makes the provider; it does not call the endpoint.
func NewHTTP(o HTTPOptions) (*HTTP, error) {
	if o.URL == "" || o.Model == "" || o.Dimensions < 1 {
		return nil, errors.New("an embedding endpoint needs an address, a model and its dimensions")
	}
	if o.Client == nil {
		o.Client = &http.Client{ //nolint:forbidigo // the address is the operator's own
			Timeout: httpTimeout,
			// A redirect would take texts and, within a domain, the key elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: httpConnections}, //nolint:forbidigo // as above
		}
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	return &HTTP{o: o, passages: make(chan struct{}, HTTPPassages)}, nil
}

// Identity names the endpoint's model.
func (h *HTTP) Identity() Identity {
	return Identity{Provider: "http", Model: h.o.Model, Dimensions: h.o.Dimensions, Profile: ProfileVersion}
}

// Limit is 0: the endpoint cuts what is too long for it by its own rules.
func (h *HTTP) Limit() int { return 0 }

// Length counts words, for want of the model's tokens.
func (h *HTTP) Length(text string) int { return len(words(text)) }

// Embed asks for the vectors in batches of 64.
func (h *HTTP) Embed(ctx context.Context, texts []string, use Use) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); start += httpBatch {
		batch, err := h.limited(ctx, texts[start:min(start+httpBatch, len(texts))], use)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, batch...)
	}
	return vectors, nil
}

// refusal is an answer other than 200.
type refusal struct {
	code  int
	after time.Duration
}

func (r *refusal) Error() string { return "the embedding endpoint answered " + strconv.Itoa(r.code) }

// passing reports whether another try may succeed: 429, 5xx, or no answer.
func passing(err error) bool {
	if refused, is := errors.AsType[*refusal](err); is {
		return refused.code == http.StatusTooManyRequests || refused.code >= http.StatusInternalServerError
	}
	return !errors.Is(err, ErrVector)
}

// RefusesTexts reports whether an error may be about one of the texts that a model was given, so that the others have their vectors
// without it.
func RefusesTexts(err error) bool {
	if refused, is := errors.AsType[*refusal](err); is {
		return slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, refused.code)
	}
	return errors.Is(err, ErrVector)
}

// limited is batch within the slots of its use.
func (h *HTTP) limited(ctx context.Context, texts []string, use Use) ([][]float32, error) {
	if !use.asked() {
		if err := enter(ctx, h.passages); err != nil {
			return nil, err
		}
		defer leave(h.passages)
	}
	tries := httpTries
	if use.asked() {
		tries = httpQueryTries
	}
	return h.batch(ctx, texts, tries)
}

// batch tries a request until it succeeds, is refused for good, or ctx ends before it may
// be tried again.
func (h *HTTP) batch(ctx context.Context, texts []string, tries int) ([][]float32, error) {
	wait := httpFirstWait
	for try := 1; ; try++ {
		vectors, err := h.ask(ctx, texts)
		if err == nil || !passing(err) || try == tries || !waited(ctx, pause(err, wait)) {
			return vectors, err
		}
		wait *= 2
	}
}

// pause is how long to wait after a failed try: as the endpoint asks, or as long as given.
func pause(err error, given time.Duration) time.Duration {
	if refused, is := errors.AsType[*refusal](err); is && refused.after > 0 {
		return min(refused.after, httpLongestWait)
	}
	return given
}

// waited waits, unless ctx ends before that is over: then it does not wait at all, so that
// who waits for an answer gets one without the vector soon.
func waited(ctx context.Context, pause time.Duration) bool {
	if until, bounded := ctx.Deadline(); bounded && time.Until(until) <= pause {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// retryAfter is for how long an answer asks to be left alone: it names seconds or a date.
// Anything else, and what is over, counts as nothing.
func retryAfter(answer *http.Response) time.Duration {
	asked := answer.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(asked); err == nil {
		return time.Duration(min(seconds, int(httpLongestWait/time.Second))) * time.Second
	}
	until, err := http.ParseTime(asked)
	if err != nil {
		return 0
	}
	return time.Until(until)
}

func (h *HTTP) ask(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{
		"model": h.o.Model, "input": texts, "dimensions": h.o.Dimensions, "encoding_format": "float",
	})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.o.URL+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if h.o.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+h.o.APIKey)
	}
	response, err := h.o.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("call the embedding endpoint: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, &refusal{code: response.StatusCode, after: retryAfter(response)}
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, httpAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the embedding endpoint's answer: %w", err)
	}
	return h.read(answer, len(texts))
}

// read takes the vectors out of an answer, each at the index that it names: one for every
// text, and no others.
func (h *HTTP) read(body []byte, count int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     int     `json:"index"`
			Embedding numbers `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrVector, err)
	}
	vectors := make([][]float32, count)
	for _, item := range answer.Data {
		given := len(answer.Data) == count && item.Index >= 0 && item.Index < count && vectors[item.Index] == nil
		if !given || len(item.Embedding) != h.o.Dimensions {
			return nil, ErrVector
		}
		if err := normalise(item.Embedding); err != nil {
			return nil, err
		}
		vectors[item.Index] = item.Embedding
	}
	if len(answer.Data) < count {
		return nil, ErrVector
	}
	return vectors, nil
}

// numbers are the values of a vector. For encoding/json null is a number, too.
type numbers []float32

// UnmarshalJSON takes a list of numbers only.
func (n *numbers) UnmarshalJSON(raw []byte) error {
	if bytes.Contains(raw, []byte("null")) {
		return ErrVector
	}
	return json.Unmarshal(raw, (*[]float32)(n))
}
