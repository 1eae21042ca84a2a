package output

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/shape"
)

// scheme is how an address begins that has one. Another address may stand behind it, in its
// query or fragment.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// PageOf is the page that an agent shall look at, empty where its node names none; false
// where the path into the triggerContext leads to no text.
func PageOf(a *definition.Agent, trigger json.RawMessage) (string, bool) {
	if a.URL != "" || a.URLPath == "" {
		return a.URL, true
	}
	var page string
	if json.Unmarshal(shape.At(trigger, a.URLPath), &page) != nil || strings.TrimSpace(page) == "" {
		return "", false
	}
	if !scheme.MatchString(page) {
		page = "https://" + page
	}
	return page, true
}
