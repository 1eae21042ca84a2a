package corpus

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

// Embedder is an embedding endpoint that knows the vectors of questions.
type Embedder struct {
	// URL is its address.
	URL    string
	server *http.Server
}

// Close ends it.
func (s *Embedder) Close() { _ = s.server.Close() }

// NewEmbedder starts one on loopback. To "question 7" it answers the vector of that
// number, to any other text the probe.
func NewEmbedder(questions [][]float32, probe []float32) (*Embedder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	answers := make([][]byte, len(questions))
	for i, question := range questions {
		if answers[i], err = embedded(question); err != nil {
			return nil, err
		}
	}
	otherwise, err := embedded(probe)
	if err != nil {
		return nil, err
	}
	s := &Embedder{URL: "http://" + listener.Addr().String(), server: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Input) != 1 {
			http.Error(w, "one question, please", http.StatusBadRequest)
			return
		}
		answer, i := otherwise, 0
		if _, err := fmt.Sscanf(asked.Input[0], "question %d", &i); err == nil {
			answer = answers[i]
		}
		_, _ = w.Write(answer)
	})}}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

func embedded(vector []float32) ([]byte, error) {
	return json.Marshal(map[string]any{"data": []any{map[string]any{"index": 0, "embedding": vector}}})
}
