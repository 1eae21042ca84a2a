package contract

import (
	"bytes"
	"io"
	"net/http"
)

// Around returns a transport that answers as the inner one does, or with the
// mismatch if the call is not as the document says.
func (d *Document) Around(inner http.RoundTripper) http.RoundTripper {
	return &transport{d, inner}
}

type transport struct {
	document *Document
	inner    http.RoundTripper
}

// RoundTrip makes the call and checks it.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := t.inner.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	sent, err := again(request)
	if err != nil {
		return nil, err
	}
	mismatch := t.document.check(request, sent, answer, text)
	if t.document.keep(mismatch) != nil {
		return nil, mismatch
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	return answer, nil
}

// again reads the body of a request a second time, nil if it cannot be.
func again(request *http.Request) ([]byte, error) {
	if request.GetBody == nil {
		return nil, nil
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(body)
}
