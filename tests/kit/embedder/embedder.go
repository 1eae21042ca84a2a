package embedder

import (
	"encoding/json"
	"net/http"
)

// Handler answers a request with the vector of each of its texts, in their order.
func Handler[Number float32 | float64](vector func(text string) []Number) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		data := make([]map[string]any, len(asked.Input))
		for i, text := range asked.Input {
			data[i] = map[string]any{"index": i, "embedding": vector(text)}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	})
}
