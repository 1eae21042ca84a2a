package embed_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"
	"golang.org/x/text/unicode/norm"

	"github.com/redline-svc/redline/internal/embed/embedtest"
)

// bareModel computes vectors a second way: with a tokenizer of its own, a
// session of its own for each input with the runtime's usual settings, and sums
// in double precision.
type bareModel struct {
	vocabulary map[string]int64
	model      []byte
}

func newBareModel(t *testing.T) bareModel {
	t.Helper()
	embedtest.Local(t) // loads the runtime
	raw, err := os.ReadFile("minilm/tokenizer.json")
	require.NoError(t, err)
	var file struct {
		Model struct{ Vocab map[string]int64 }
	}
	require.NoError(t, json.Unmarshal(raw, &file))
	model, err := os.ReadFile("minilm/model.onnx")
	require.NoError(t, err)
	return bareModel{vocabulary: file.Model.Vocab, model: model}
}

// bareWords are the words of a text as the model knows them: in lower case
// without accents, every mark and every Chinese character by itself.
func bareWords(text string) []string {
	var apart strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.Is(unicode.Han, r), unicode.IsPunct(r), r < unicode.MaxASCII && unicode.IsSymbol(r):
			apart.WriteString(" " + string(r) + " ")
		default:
			apart.WriteRune(r)
		}
	}
	return strings.Fields(apart.String())
}

// pieces cuts a word into the longest pieces of the vocabulary from its left.
func (b bareModel) pieces(word string) []int64 {
	var ids []int64
	letters := []rune(word)
	for from := 0; from < len(letters); {
		to := len(letters)
		for ; to > from; to-- {
			piece := string(letters[from:to])
			if from > 0 {
				piece = "##" + piece
			}
			if id, known := b.vocabulary[piece]; known {
				ids = append(ids, id)
				break
			}
		}
		if to == from {
			return []int64{b.vocabulary["[UNK]"]}
		}
		from = to
	}
	return ids
}

// vector is the mean over the windows of a text, of nearly one length each.
func (b bareModel) vector(t *testing.T, text string) []float32 {
	t.Helper()
	var ids []int64
	for _, word := range bareWords(text) {
		ids = append(ids, b.pieces(word)...)
	}
	const inside = 254
	windows := max(1, (len(ids)+inside-1)/inside)
	sum := make([]float64, 384)
	for w := range windows {
		for i, x := range b.run(t, ids[w*len(ids)/windows:(w+1)*len(ids)/windows]) {
			sum[i] += x
		}
	}
	return single(unit(sum))
}

func (b bareModel) run(t *testing.T, inside []int64) []float64 {
	t.Helper()
	ids := append(append([]int64{b.vocabulary["[CLS]"]}, inside...), b.vocabulary["[SEP]"])
	ones := make([]int64, len(ids))
	for i := range ones {
		ones[i] = 1
	}
	shape := ort.NewShape(1, int64(len(ids)))
	var inputs []ort.ArbitraryTensor
	for _, data := range [][]int64{ids, ones, make([]int64, len(ids))} {
		tensor, err := ort.NewTensor(shape, data)
		require.NoError(t, err)
		defer func() { require.NoError(t, tensor.Destroy()) }()
		inputs = append(inputs, tensor)
	}
	output, err := ort.NewEmptyTensor[float32](ort.NewShape(1, int64(len(ids)), 384))
	require.NoError(t, err)
	defer func() { require.NoError(t, output.Destroy()) }()
	session, err := ort.NewAdvancedSessionWithONNXData(b.model, []string{"input_ids", "attention_mask", "token_type_ids"},
		[]string{"last_hidden_state"}, inputs, []ort.ArbitraryTensor{output}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Destroy()) }()
	require.NoError(t, session.Run())
	sum := make([]float64, 384)
	for i, x := range output.GetData() {
		sum[i%384] += float64(x)
	}
	return unit(sum)
}

func unit(v []float64) []float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
	return v
}

func single(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

func TestKnownAnswersAreThoseOfTheBareRuntime(t *testing.T) {
	bare := newBareModel(t)
	for _, known := range knownAnswers(t) {
		requireSame(t, known.vector(t), bare.vector(t, known.Text))
	}
}
