package corpus

import (
	"fmt"
	"net"
	"net/http"

	"github.com/redline-svc/redline/tests/kit/embedder"
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
	vector := func(text string) []float32 {
		var number int
		if _, err := fmt.Sscanf(text, "question %d", &number); err != nil {
			return probe
		}
		return questions[number]
	}
	s := &Embedder{URL: "http://" + listener.Addr().String(), server: &http.Server{Handler: embedder.Handler(vector)}}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}
