package ops

import (
	"net/http"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

// referencePath is where the page of the interface is, its assets below it.
const referencePath = "/reference/"

// policy keeps the page to itself: its own scripts and styles, its own
// document, nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// toThisListener sends what is tried on the page to where the page comes from,
// whatever address the document gives.
const toThisListener = `request => {
	if (!request.loadSpec) request.url = request.url.replace(/^.*?(?=\/v[0-9]+\/)/, window.location.origin);
	return request;
}`

// mountReference serves the document and the page that shows it. The buttons to
// try an operation are there only with an interface to send it to.
func (s *Server) mountReference(document func() ([]byte, error), interfaceHandler http.Handler) {
	settings := map[string]string{
		"docExpansion": `"none"`, "filter": "true", "defaultModelsExpandDepth": "-1", "displayRequestDuration": "true",
		"operationsSorter": `"alpha"`, "tagsSorter": `"alpha"`, "supportedSubmitMethods": "[]",
	}
	if interfaceHandler != nil {
		settings["supportedSubmitMethods"] = `["post"]`
		settings["requestInterceptor"] = toThisListener
		settings["showMutatedRequest"] = "false" // the curl line shown is for callers
		own := ownPages(interfaceHandler)
		s.mux.Handle("POST /v1/", own)
		s.mux.Handle("POST /v2/", own)
	}
	page := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "Redline: API reference", SwaggerJSON: "/openapi.json", BasePath: referencePath, SettingsUI: settings,
	})
	s.mux.HandleFunc("GET /openapi.json", guarded(func(w http.ResponseWriter, _ *http.Request) {
		text, err := document()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // a client that is gone is no fault of ours
	}))
	s.mux.HandleFunc("GET "+referencePath, guarded(page.ServeHTTP))
	s.mux.Handle("GET /{$}", http.RedirectHandler(referencePath, http.StatusFound))
}

// ownPages lets the pages of this listener call the interface, and no other
// page. To the interface such a call is one that no page makes: the domains
// that a key may be used from are not about this page.
func ownPages(interfaceHandler http.Handler) http.Handler {
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Origin")
		interfaceHandler.ServeHTTP(w, r)
	}))
}

func guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next(w, r)
	}
}
