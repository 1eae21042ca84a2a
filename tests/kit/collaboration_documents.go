package kit

import (
	"fmt"
	"maps"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// InAcme returns a call about acme, with more fields.
func InAcme(more ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme"}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// Documents returns a call that adds documents with these ids to acme.
func Documents(ids ...string) map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"documentId": id}
	}
	return InAcme(map[string]any{"createOrganization": true, "documents": list})
}

// Document returns a call that adds one document with these fields to acme.
func Document(id string, fields map[string]any) map[string]any {
	one := map[string]any{"documentId": id}
	maps.Copy(one, fields)
	return InAcme(map[string]any{"createOrganization": true, "documents": []any{one}})
}

// TheseDocuments returns a call about documents of acme.
func TheseDocuments(ids ...string) map[string]any { return InAcme(map[string]any{"documentIds": ids}) }

// OneDocument returns a document of acme, which has to be there.
func OneDocument(env *Env, id string) ThingView {
	env.T.Helper()
	found := Paged(env, client.GetDocuments, TheseDocuments(id, "unknown")).Data
	require.Len(env.T, found, 1)
	return found[0]
}

// NumberedIDs returns so many ids, each the prefix and a number of three digits.
func NumberedIDs(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%03d", prefix, i)
	}
	return ids
}
