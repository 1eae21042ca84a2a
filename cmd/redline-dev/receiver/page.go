package receiver

import (
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest is how long a reader may wait for a first item.
const longest = time.Minute

//go:embed page.html
var page []byte

// Handler serves what was received:
//
//	GET /            a page for people
//	GET /dev/inbox   {"items": [Request]}, filters path=<prefix> and after=<n>
//	GET /dev/inbox/<n>/body   the exact body of one request
//	GET /dev/mails   {"items": [Mail]}, filters to=<address> and after=<n>
//
// With wait=<milliseconds> an empty answer is held back until something comes, a minute at most.
func Handler(requests *Receiver, mails *Mails) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("GET /dev/inbox", func(w http.ResponseWriter, r *http.Request) {
		prefix := r.URL.Query().Get("path")
		list(w, r, requests.inbox, func(item Request) bool { return strings.HasPrefix(item.Path, prefix) })
	})
	mux.HandleFunc("GET /dev/inbox/{n}/body", func(w http.ResponseWriter, r *http.Request) { body(w, r, requests) })
	mux.HandleFunc("GET /dev/mails", func(w http.ResponseWriter, r *http.Request) {
		to := r.URL.Query().Get("to")
		list(w, r, mails.inbox, func(item Mail) bool { return to == "" || contains(item.To, to) })
	})
	return mux
}

// ServePage serves a handler on the listener until the context ends.
func ServePage(ctx context.Context, listener net.Listener, handler http.Handler) error {
	return serve(ctx, listener, handler)
}

// list answers with the wanted items above after, waiting as long as it is told to.
func list[T any](w http.ResponseWriter, r *http.Request, from *store[T], wanted func(T) bool) {
	after, errAfter := number(r, "after")
	patience, errWait := number(r, "wait")
	if errAfter != nil || errWait != nil {
		http.Error(w, "after and wait are whole numbers", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), min(time.Duration(patience)*time.Millisecond, longest))
	defer cancel()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	encoder := json.NewEncoder(w)
	// Bodies are read by shell scripts too, which know only the escapes of JSON itself.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string][]T{"items": from.await(ctx, after, wanted)}); err != nil {
		// The reader has gone; there is nobody to tell.
		return
	}
}

// body answers with the exact bytes of one request's body.
func body(w http.ResponseWriter, r *http.Request, requests *Receiver) {
	n, err := strconv.Atoi(r.PathValue("n"))
	items, _ := requests.inbox.after(n-1, func(item Request) bool { return item.N == n })
	if err != nil || len(items) == 0 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = io.WriteString(w, items[0].Body)
}

func number(r *http.Request, name string) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	return strconv.Atoi(text)
}

func contains(list []string, word string) bool {
	for _, item := range list {
		if strings.EqualFold(item, word) {
			return true
		}
	}
	return false
}
