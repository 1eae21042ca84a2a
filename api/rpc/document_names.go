package rpc

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// places are parts of a path that only say where a resource stands, each with the resources
// below it; a call is known by its resource. An empty list means whatever is below.
var places = []struct {
	prefix    string
	resources []string
}{
	{"workflow/", nil},
	{"workspace/advancedwebhook/", nil},
	{"organizations/", []string{"documents/", "folders/", "usergroups/"}},
	{"memory/", []string{"judgments/", "knowledge/", "patterns/", "profiles/", "stats/", "alerts/", "consolidation/", "files/"}},
	{"workspace/", []string{"apikey/", "apikeys/", "authtoken/", "authtokens/", "domains/", "jobs/", "usage/", "owner/"}},
	{"auth/", []string{"permissions/"}},
	{"commentannotations/", []string{"comments/"}},
}

// spelled are the words of paths that are two words, and those that callers say otherwise.
var spelled = map[string]string{
	"commentannotations": "annotations", "usergroups": "userGroups", "eventtypes": "eventTypes",
	"apikey": "apiKeys", "apikeys": "apiKeys", "authtoken": "authTokens", "authtokens": "authTokens",
	"advancedwebhookconfig": "advancedWebhookConfig", "apikeyconfig": "apiKeyConfig", "emailconfig": "emailConfig",
	"permissionproviderconfig": "permissionProviderConfig", "activityconfig": "activityConfig",
	"notificationconfig": "notificationConfig", "webhookconfig": "webhookConfig", "disablestate": "disableState",
}

// verbs stand last in a path and first in a name.
var verbs = []string{"get", "list", "add", "create", "set", "update", "delete", "rotate"}

// operationID names an operation by its resource and what is done with it, so that
// /v2/workflow/executions/dispatch is executions.dispatch and
// /v2/organizations/documents/access/update documents.updateAccess. One of the version
// before has its number behind it: annotations.getV1.
func operationID(path string) string {
	version, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	resource, act, _ := strings.Cut(withoutPlace(rest), "/")
	parts := strings.Split(act, "/")
	if last := len(parts) - 1; slices.Contains(verbs, parts[last]) {
		parts = slices.Insert(parts[:last], 0, parts[last])
	}
	id := camel(resource) + "." + camel(parts...)
	if version != "v2" {
		id += strings.ToUpper(version)
	}
	return id
}

func withoutPlace(path string) string {
	for _, place := range places {
		below, is := strings.CutPrefix(path, place.prefix)
		if !is {
			continue
		}
		if place.resources == nil {
			return below
		}
		for _, resource := range place.resources {
			if strings.HasPrefix(below, resource) {
				return below
			}
		}
	}
	return path
}

// camel joins the parts of a path to one word: migrate, status and ingest-status are
// migrateStatus and ingestStatus.
func camel(parts ...string) string {
	words := strings.FieldsFunc(strings.Join(parts, "/"), func(r rune) bool { return r == '/' || r == '-' || r == '_' })
	for i, word := range words {
		if two, is := spelled[word]; is {
			word = two
		}
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		words[i] = word
	}
	return strings.Join(words, "")
}

// schemaNames returns how the types of the document are called: as a caller knows the
// thing. What is read of a thing has its name (AgentView is Agent), what is sent of it is
// an input (CommentData is CommentInput), what is data of a call a request.
func schemaNames(routes []Route) func(reflect.Type, string) string {
	requests := map[reflect.Type]bool{}
	for i := range routes {
		if request := routes[i].documented(); request != nil && !routes[i].IsFile() {
			requests[request] = true
		}
	}
	return func(t reflect.Type, hint string) string {
		name := huma.DefaultSchemaNamer(t, hint)
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case requests[t]:
			return strings.TrimSuffix(strings.TrimSuffix(name, "Request"), "Data") + "Request"
		case strings.Contains(t.Name(), "["):
			return holderName(name)
		default:
			return thingName(name)
		}
	}
}

// holderName names what holds values of another type, whose name begins with how it does.
func holderName(name string) string {
	for _, holder := range []struct{ prefix, suffix string }{
		{"Success", "Result"},
		{"CursorPage", "Page"},
		{"CommentList", "Page"},
		{"List", "List"},
		{"Keyed", "ByID"},
		{"Slots", "BySlot"},
		{"Grouped", "List"},
	} {
		if of, is := strings.CutPrefix(name, holder.prefix); is && unicode.IsUpper(rune(of[0])) {
			return holderName(of) + holder.suffix
		}
	}
	return thingName(name)
}

func thingName(name string) string {
	if of, is := strings.CutSuffix(name, "Data"); is && of != "No" {
		return of + "Input"
	}
	return strings.TrimSuffix(name, "View")
}
