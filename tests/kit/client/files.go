package client

import (
	"context"
	"io"
	"net/http"
)

// PutFile sends a file to a signed address, which needs no credentials; an empty type
// is not sent. An error means that no answer came.
func PutFile(ctx context.Context, address, mimeType string, file io.Reader) (*Reply, error) {
	return transfer(ctx, http.MethodPut, address, file, "content-type", mimeType)
}

// GetFile reads a file from a signed address; an empty range stands for all of it.
func GetFile(ctx context.Context, address, byteRange string) (*Reply, error) {
	return transfer(ctx, http.MethodGet, address, http.NoBody, "range", byteRange)
}

func transfer(ctx context.Context, method, address string, body io.Reader, header, value string) (*Reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	if value != "" {
		request.Header.Set(header, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	return &Reply{HTTP: answer.StatusCode, Header: answer.Header, Body: content}, err
}
