package platform

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// slot is a place for the name of a thing in what an operation is asked.
var slot = regexp.MustCompile(`<([a-z-]+)>`)

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
// one changes no answer to the other, which then asks every operation for every id of the
// first, in each of its places: no answer has anything of it, and nothing in it has changed.
func TestLong_EqualWorkspacesShareNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	stranger := kit.Hooked(kit.Elsewhere(env))
	equal := func(word string) string { return word + "-that-both-have" }
	own := belongings(stranger, equal)
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
	before = atRest(env, known)
	requests := 0
	for path, template := range named {
		for _, place := range slot.FindAllStringSubmatch(template, -1) {
			for what, name := range foreign {
				names := maps.Clone(own)
				names[place[1]] = name
				answer, _ := asked(stranger, path, template, names)
				answer = strings.ReplaceAll(answer, name, "what was asked for")
				for of, other := range foreign {
					assert.NotContains(t, answer, other, "%s was asked for the %s and told the %s", path, what, of)
				}
				requests++
			}
		}
	}
	require.Empty(t, differing(before, reads(env, known)), "something was changed")
	t.Logf("%d requests", requests)
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
