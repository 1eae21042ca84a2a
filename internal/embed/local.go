package embed

import (
	"context"
	_ "embed" // the model is part of the program
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gomlx/go-huggingface/tokenizers/api"
	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"
	ort "github.com/yalue/onnxruntime_go"
	"golang.org/x/sync/errgroup"
)

// The models, and the tokenizer that both have; origin and checksums are in minilm/README.md
// and e5/README.md.
var (
	//go:embed minilm/model.onnx
	knowledgeFile []byte
	//go:embed e5/model.onnx
	reviewsFile []byte
	//go:embed minilm/tokenizer.json
	tokenizerFile []byte
)

// Properties of all-MiniLM-L6-v2 and of e5-small-v2, which could take twice as much at once.
const (
	localModel      = "all-MiniLM-L6-v2-int8+4e5-small-v2-int8"
	localDimensions = 384
	// localLimit is the input in word pieces, the two marks at its ends included.
	localLimit = 256
	// reviewsPrefix is how every text of the model of reviews begins.
	reviewsPrefix = "query: "
	// The marks for the begin and the end of an input.
	tokenBegin, tokenEnd = 101, 102
)

// Names of the model's inputs and output.
var (
	localInputs = []string{"input_ids", "attention_mask", "token_type_ids"}
	localOutput = []string{"last_hidden_state"}
)

// Local are the sentence models inside the process: one for knowledge, and for reviews another
// one beside it, since what both find alike is more seldom so by chance.
type Local struct {
	knowledge, reviews *sentenceModel
	tokenizer          *hftokenizer.Tokenizer
	// queries and passages hold a slot for each run at once of their kind: a query
	// never waits for a passage, which may take long on cores that others want.
	queries, passages chan struct{}
}

// sentenceModel is a model with the word pieces that each of its inputs begins with.
type sentenceModel struct {
	session *ort.DynamicAdvancedSession
	prefix  []int
}

// The runtime is loaded once for a process.
var (
	loading sync.Mutex
	loaded  string
)

// NewLocal loads the ONNX runtime from the library file and the models. All
// instances of a process use the library of the first one.
func NewLocal(library string) (*Local, error) {
	if err := load(library); err != nil {
		return nil, err
	}
	tokenizer, err := newTokenizer()
	if err != nil {
		return nil, err
	}
	knowledge, err := newSession(knowledgeFile)
	if err != nil {
		return nil, fmt.Errorf("load the sentence model: %w", err)
	}
	reviews, err := newSession(reviewsFile)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the sentence model of reviews: %w", err), knowledge.Destroy())
	}
	cores := runtime.GOMAXPROCS(0)
	l := &Local{tokenizer: tokenizer, queries: make(chan struct{}, cores), passages: make(chan struct{}, cores)}
	l.knowledge, l.reviews = &sentenceModel{session: knowledge}, &sentenceModel{reviews, l.encode(reviewsPrefix)}
	return l, nil
}

func load(library string) error {
	loading.Lock()
	defer loading.Unlock()
	if loaded != "" {
		return nil
	}
	ort.SetSharedLibraryPath(library)
	if err := ort.InitializeEnvironment(); err != nil {
		return fmt.Errorf("load the ONNX runtime %s: %w", library, err)
	}
	loaded = library
	return nil
}

// newTokenizer reads the tokenizer; its own truncation and padding are put off.
func newTokenizer() (*hftokenizer.Tokenizer, error) {
	tokenizer, err := hftokenizer.NewFromContent(nil, tokenizerFile)
	if err != nil {
		return nil, fmt.Errorf("read the tokenizer: %w", err)
	}
	if err := tokenizer.With(api.EncodeOptions{AddSpecialTokens: false}); err != nil {
		return nil, fmt.Errorf("set up the tokenizer: %w", err)
	}
	return tokenizer, nil
}

func newSession(model []byte) (*ort.DynamicAdvancedSession, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer func() { _ = options.Destroy() }()
	if err := errors.Join(options.SetIntraOpNumThreads(1), options.SetInterOpNumThreads(1)); err != nil {
		return nil, err
	}
	return ort.NewDynamicAdvancedSessionWithONNXData(model, localInputs, localOutput, options)
}

// Close gives the memory of the models back. No Embed may be under way.
func (l *Local) Close() error {
	return errors.Join(l.knowledge.session.Destroy(), l.reviews.session.Destroy())
}

// Identity names the models.
func (l *Local) Identity() Identity {
	return Identity{Provider: "local", Model: localModel, Dimensions: localDimensions, Profile: ProfileVersion}
}

// Limit is the input in word pieces.
func (l *Local) Limit() int { return localLimit }

// Length counts the word pieces of a text, with the marks at its ends.
func (l *Local) Length(text string) int { return len(l.encode(text)) + 2 }

// Embed runs the model for every text by itself.
func (l *Local) Embed(ctx context.Context, texts []string, use Use) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(l.queries))
	for i, text := range texts {
		group.Go(func() error {
			v, err := l.one(ctx, text, use)
			vectors[i] = v
			return err
		})
	}
	return vectors, group.Wait()
}

// reviewsShare is what the model of reviews has of a cosine of reviews, the other model the rest.
// Cosines of unrelated texts differ four times as much by that one, so both weigh the same.
const reviewsShare = 0.8

// one embeds a text. A vector of reviews is that of the one model and behind it that of the other.
func (l *Local) one(ctx context.Context, text string, use Use) ([]float32, error) {
	ids := l.encode(text)
	known, err := l.by(ctx, l.knowledge, ids, use)
	if err != nil || use != Review && use != Matter {
		return known, err
	}
	alike, err := l.by(ctx, l.reviews, ids, use)
	if err != nil {
		return nil, err
	}
	return append(scaled(alike, math.Sqrt(reviewsShare)), scaled(known, math.Sqrt(1-reviewsShare))...), nil
}

func scaled(v []float32, by float64) []float32 {
	for i := range v {
		v[i] *= float32(by)
	}
	return v
}

// by embeds word pieces by a model, in windows where they are more than its input.
func (l *Local) by(ctx context.Context, model *sentenceModel, text []int, use Use) ([]float32, error) {
	var vectors [][]float32
	for _, ids := range model.windows(text) {
		v, err := l.window(ctx, model, ids, use)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, v)
	}
	return mean(vectors)
}

// encodePiece is how many bytes of text the tokenizer is given at once, up to the
// next boundary: of 16 to 256 bytes the fewest took a third of the time. Without a
// boundary it is given encodeLongest. No word of so many bytes has word pieces:
// beyond 100 characters the model knows none.
const encodePiece, encodeLongest = 16, 512

// encode returns the word pieces of a text. The time of the tokenizer grows with
// the square of its input, and no word piece goes beyond a boundary, so it gets
// the text piece by piece.
func (l *Local) encode(text string) []int {
	var ids []int
	for len(text) > encodePiece {
		end := boundary(text)
		ids = append(ids, l.tokenizer.Encode(text[:end])...)
		text = text[end:]
	}
	return append(ids, l.tokenizer.Encode(text)...)
}

// boundary is where the next piece of a text ends: before white space, a
// punctuation mark or a Chinese character, each of which ends a word for the model.
func boundary(text string) int {
	for at, r := range text {
		switch {
		case at >= encodePiece && endsWord(r), at >= encodeLongest:
			return at
		}
	}
	return len(text)
}

// asciiBoundaries are the boundaries in ASCII.
const asciiBoundaries = " \t\n\r!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

func endsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.ContainsRune(asciiBoundaries, r)
	}
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF
}

// windows cuts ids into inputs of nearly one length, so that no window is a
// small rest that weighs as much as a full one. Each begins with the prefix.
func (m *sentenceModel) windows(ids []int) [][]int {
	inside := localLimit - 2 - len(m.prefix)
	count := max(1, (len(ids)+inside-1)/inside)
	cut := make([][]int, count)
	for i := range cut {
		cut[i] = slices.Concat(m.prefix, ids[i*len(ids)/count:(i+1)*len(ids)/count])
	}
	return cut
}

func (l *Local) window(ctx context.Context, model *sentenceModel, ids []int, use Use) (v []float32, err error) {
	slots, run := l.queries, func(run func() error) error { return run() }
	if !use.asked() {
		slots, run = l.passages, yielding
	}
	if err := enter(ctx, slots); err != nil {
		return nil, err
	}
	defer leave(slots)
	err = run(func() (err error) {
		v, err = model.run(ids)
		return err
	})
	return v, err
}

func enter(ctx context.Context, slots chan struct{}) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func leave(slots chan struct{}) { <-slots }

// run is one run of the model: mean of the last hidden states, as a unit
// vector. Nothing is padded, so every state counts. The output is made here: one
// that the runtime makes is copied by its binding and never given back.
func (m *sentenceModel) run(inside []int) ([]float32, error) {
	inputs, err := tensors(inside)
	defer destroy(inputs)
	if err != nil {
		return nil, err
	}
	states, err := ort.NewEmptyTensor[float32](ort.NewShape(1, int64(len(inside)+2), localDimensions))
	if err != nil {
		return nil, err
	}
	defer destroy([]ort.ArbitraryTensor{states})
	if err := m.session.Run(inputs, []ort.ArbitraryTensor{states}); err != nil {
		return nil, fmt.Errorf("run the sentence model: %w", err)
	}
	pooled := pool(states.GetData())
	return pooled, normalise(pooled)
}

func pool(states []float32) []float32 {
	pooled := make([]float32, localDimensions)
	for i, x := range states {
		pooled[i%localDimensions] += x
	}
	count := float32(len(states) / localDimensions)
	for i := range pooled {
		pooled[i] /= count
	}
	return pooled
}

// tensors makes the three inputs: ids with the marks at their ends, a mask of
// ones, and types of zeros.
func tensors(inside []int) ([]ort.ArbitraryTensor, error) {
	size := len(inside) + 2
	ids, mask, types := make([]int64, size), make([]int64, size), make([]int64, size)
	ids[0], ids[size-1] = tokenBegin, tokenEnd
	for i, token := range inside {
		ids[i+1] = int64(token)
	}
	for i := range mask {
		mask[i] = 1
	}
	var inputs []ort.ArbitraryTensor
	for _, data := range [][]int64{ids, mask, types} {
		tensor, err := ort.NewTensor(ort.NewShape(1, int64(size)), data)
		if err != nil {
			return inputs, err
		}
		inputs = append(inputs, tensor)
	}
	return inputs, nil
}

func destroy(tensors []ort.ArbitraryTensor) {
	for _, tensor := range tensors {
		if tensor != nil {
			_ = tensor.Destroy() // fails only for a tensor that was destroyed before
		}
	}
}
