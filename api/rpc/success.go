package rpc

// Success is the result of the operations that answer with a status, a sentence
// and data, those of /v2/workspace/ among them. The operations of /v2/workflow/
// answer with their data alone.
type Success[T any] struct {
	Status  string `json:"status" enum:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
	Data    T      `json:"data"`
	// NextPageToken leads to the next page; absent on the last one.
	NextPageToken string `json:"nextPageToken,omitempty"`
}

// Succeed makes the result of an operation that did what was asked.
func Succeed[T any](message string, data T) *Success[T] {
	return &Success[T]{Status: "success", Message: message, Data: data}
}

// NoData is the data of operations that answer with none: null.
type NoData struct{}
