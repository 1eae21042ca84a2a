package examples

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"

	"github.com/google/uuid"
)

// must returns a value that came without an error, and panics with the error otherwise.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// unique is a word that no other run of an example has.
func unique(word string) string { return word + "-" + uuid.NewString() }

// arrived is a request that the receiver of `make run` got.
type arrived struct {
	N       int               `json:"n"`
	Headers map[string]string `json:"headers"`
}

// inbox returns the requests to a path.
func inbox(path string) []arrived {
	answer := must(http.Get(os.Getenv("REDLINE_DEV_INBOX_URL") + "?path=" + path))
	defer func() { _ = answer.Body.Close() }()
	var got struct {
		Items []arrived `json:"items"`
	}
	check(json.NewDecoder(answer.Body).Decode(&got))
	return got.Items
}

// header are the headers as a server gets them.
func (a arrived) header() http.Header {
	header := http.Header{}
	for name, value := range a.Headers {
		header.Set(name, value)
	}
	return header
}

// bodyAddress is where the very bytes of a request stand.
func (a arrived) bodyAddress() string {
	return os.Getenv("REDLINE_DEV_INBOX_URL") + "/" + strconv.Itoa(a.N) + "/body"
}
