package platform

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// settling are the reads whose answers change by themselves for a while after a change:
// attempts are made, jobs go on, things are counted.
var settling = []string{
	"/v2/workspace/jobs/list", "/v2/workspace/advancedwebhook/attempts/get", "/v2/workspace/advancedwebhook/messages/get",
	"/v2/workspace/advancedwebhook/endpoints/recover/get", "/v2/workspace/advancedwebhook/endpoints/get", "/v2/workflow/executions/getDeliveries",
	"/v2/memory/ask", // its answers have ids of their own
}

// isRead reports whether an operation changes nothing.
func isRead(path string) bool {
	last := path[strings.LastIndex(path, "/")+1:]
	return !slices.Contains(settling, path) && slices.Contains([]string{"get", "list", "query", "search", "rules", "getEvents", "suggest", "count"}, last)
}

// reads are the answers to all reads of a workspace's own things.
func reads(env *kit.Env, names map[string]string) map[string]string {
	env.T.Helper()
	found := map[string]string{}
	for path, template := range named {
		if isRead(path) {
			answer, code := asked(env, path, template, names)
			found[path] = fmt.Sprint(code, " ", sealed.ReplaceAllString(answer, `"sealed":""`))
		}
	}
	return found
}

// TestLong_EqualWorkspacesShareNothing fills two workspaces with equal ids and texts. What is in
// one changes no answer to the other, which then asks every operation of the document for every
// id of the first, in each place where a text can stand: no answer has anything of it, and
// nothing in it has changed.
func TestLong_EqualWorkspacesShareNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	stranger := kit.Hooked(kit.Elsewhere(env))
	equal := func(word string) string { return word + "-that-both-have" }
	own := belongings(stranger, equal)
	own["key"] = kit.NewKey(stranger, nil).APIKey // the one that opens all this is not changed
	before := atRest(stranger, own)
	known := belongings(env, equal)
	require.Empty(t, differing(before, reads(stranger, own)), "what another one has filled is seen")

	foreign := map[string]string{"workspace": env.Workspace.ID, "token": env.Workspace.Token, "key's token": env.Workspace.AuthToken, "receiver": env.Receiver().URL("")}
	for what, name := range known {
		if own[what] != name {
			foreign[what] = name
		}
	}
	require.Greater(t, len(foreign), 14)
	there := atRest(env, known)
	a := &asking{stranger: stranger, foreign: foreign, told: madeIn(there, before, foreign)}
	require.Greater(t, len(a.told), 5)
	all := questions(env, own)
	for _, q := range all {
		a.ask(q, q.data, "", "for what is the stranger's own")
		for _, at := range q.places {
			for what, name := range foreign {
				a.ask(q, put(q.data, at, name), name, fmt.Sprint("for the ", what, " in ", at))
			}
		}
	}
	require.Empty(t, differing(there, reads(env, known)), "something was changed")
	t.Logf("%d operations, %d ids asked for and %d others, %d requests", len(all), len(foreign), len(a.told), a.requests)
}

// asking is a stranger who asks for what is another one's.
type asking struct {
	stranger *kit.Env
	// foreign are the ids that are asked for, told others in the same workspace, which only an
	// answer from it could have.
	foreign  map[string]string
	told     []string
	requests int
}

// ask makes one request and proves that the answer is not from the other workspace. What the
// stranger has written itself, and may read afterwards, are the ids alone that were asked for.
func (a *asking) ask(q question, data any, name, as string) {
	t := a.stranger.T
	t.Helper()
	answer, code := sent(a.stranger, q.path, data)
	require.NotEqual(t, http.StatusUnauthorized, code, "%s: whoever asks is known to the end", q.path)
	others := a.told
	if q.reads() {
		others = slices.AppendSeq(slices.Clone(others), maps.Values(a.foreign))
	}
	for _, other := range others {
		if other != name {
			assert.NotContains(t, answer, other, "%s was asked %s", q.path, as)
		}
	}
	a.requests++
}

// generated is an id that the service has made.
var generated = regexp.MustCompile(`\b[a-z]{2,6}_[0-9][0-9a-z_]{14,}\b`)

// madeIn are the ids in the answers to one workspace that no answer to the other has, without
// those that are asked for.
func madeIn(there, elsewhere map[string]string, asked map[string]string) (ids []string) {
	others := strings.Join(slices.Sorted(maps.Values(elsewhere)), "\n")
	for _, answer := range there {
		for _, id := range generated.FindAllString(answer, -1) {
			if !strings.Contains(others, id) && !slices.Contains(slices.Collect(maps.Values(asked)), id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// sealed are addresses and tokens, of which each answer has its own.
var sealed = regexp.MustCompile(`(?i)"[a-z]*(url|token|cursor)":"[^"]*"`)

// differing are the operations whose answers are not the same.
func differing(a, b map[string]string) (paths []string) {
	for path := range b {
		if a[path] != b[path] {
			paths = append(paths, path)
		}
	}
	return paths
}

// atRest waits until two looks at everything are the same, and returns it.
func atRest(env *kit.Env, names map[string]string) (found map[string]string) {
	env.T.Helper()
	var changing []string
	defer func() {
		if env.T.Failed() {
			env.T.Logf("still changing: %v", changing)
		}
	}()
	kit.RequireWithin(env.T, kit.Patience, "nothing changes by itself", func() bool {
		last := found
		found = reads(env, names)
		changing = differing(last, found)
		return len(changing) == 0
	})
	return found
}
