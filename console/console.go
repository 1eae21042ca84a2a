package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/gorilla/securecookie"
)

// Options are what a Console is given.
type Options struct {
	// Interface is the base address of the interface, Transport how it is reached.
	Interface string
	Transport http.RoundTripper
	// Keys are secrets of 32 bytes that seal sessions, the first for new ones.
	Keys [][]byte
	// TemporalUI is the address of the Temporal UI with its namespace, Mails that of the catcher of mails of a
	// development stack; empty where there is none.
	TemporalUI, Mails string
	Log               *slog.Logger
}

// Console answers with pages.
type Console struct {
	options Options
	codecs  []securecookie.Codec
	pages   map[string]*template.Template
	shared  *shared
	// making has those who have a page made, sending those whose forms are read and acted on.
	making, sending *turns
	handler         http.Handler
}

//go:embed assets
var assets embed.FS

// New makes the pages. Error: there is no key, or one that is too short.
func New(o Options) (*Console, error) {
	codecs, err := codecsOf(o.Keys)
	if err != nil {
		return nil, err
	}
	pages, err := parsePages()
	if err != nil {
		return nil, err
	}
	c := &Console{options: o, codecs: codecs, pages: pages, shared: newShared(), making: newTurns(pagesAtOnce), sending: newTurns(formsAtOnce)}
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", kept(http.FileServerFS(files))))
	c.mount(mux)
	c.handler = guarded(http.NewCrossOriginProtection().Handler(c.ownForms(mux)))
	return c, nil
}

// ServeHTTP answers one request of a browser.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// Limits of the listener. An answer waits for the interface, which takes 30 s at most for each
// of the few calls that a page makes side by side; files are sent through the pages, too.
const (
	headerTime = 5 * time.Second
	readTime   = 2 * time.Minute
	writeTime  = 3 * time.Minute
	idleTime   = time.Minute
)

// Listener returns the server of the pages.
func (c *Console) Listener() *http.Server {
	return &http.Server{
		Handler: c, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		ErrorLog: slog.NewLogLogger(c.options.Log.Handler(), slog.LevelDebug),
	}
}

// policy lets a page have styles, scripts and answers of this listener, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guarded sends the headers that keep a page to itself.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// assetAddresses are those of the assets by their names, with a sum of what they hold: a page never
// gets those of an earlier program.
var assetAddresses = addressesOf(assets)

func addressesOf(files embed.FS) map[string]string {
	addresses := map[string]string{}
	entries, _ := files.ReadDir("assets") // what is embedded can be read
	for _, entry := range entries {
		content, _ := files.ReadFile("assets/" + entry.Name())
		sum := sha256.Sum256(content)
		addresses[entry.Name()] = "/assets/" + entry.Name() + "?" + hex.EncodeToString(sum[:6])
	}
	return addresses
}

// kept lets browsers keep the assets, whose addresses change with them.
func kept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=31536000, immutable")
		next.ServeHTTP(w, r)
	})
}

// errKeys means that sessions cannot be sealed.
var errKeys = errors.New("console: sessions need keys of 32 bytes")
