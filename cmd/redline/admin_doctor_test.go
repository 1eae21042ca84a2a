package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/secret"
)

// examined is what the doctor finds with the variables, by what was looked at.
func (s *stored) examined(more ...string) (map[string]finding, error) {
	s.t.Helper()
	var out bytes.Buffer
	environ := append([]string{
		"REDLINE_DATABASE_URL=" + s.url, "REDLINE_ENCRYPTION_KEYS=" + s.keys[0].Encode(), "REDLINE_HASH_KEYS=" + s.keys[1].Encode(),
		"REDLINE_PUBLIC_BASE_URL=http://127.0.0.1:8080", "REDLINE_WEAVIATE_ADDR=127.0.0.1:1", "REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:1",
		"REDLINE_TEMPORAL_ADDR=127.0.0.1:1", "REDLINE_EMBEDDER=lexical", "REDLINE_BLOB_DIR=" + s.files.Dir, "REDLINE_POSTGRES_TOOLS=" + s.tools,
	}, more...)
	a := &admin{in: strings.NewReader(""), out: &out, asked: &out, environ: environ}
	err := a.run(s.t.Context(), []string{"doctor", "--json", "--role=api"})
	var list []finding
	require.NoError(s.t, json.Unmarshal(out.Bytes(), &list), out.String())
	found := map[string]finding{}
	for _, f := range list {
		require.Equal(s.t, f.State == isFine, f.Do == "", "%+v", f)
		found[f.Of] = f
	}
	return found, err
}

// Each thing that is wrong is found and said, with what to do, and the rest is looked at all the same.
func TestLong_TheDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newStored(t)
	found, err := s.examined()
	require.ErrorContains(t, err, "have to be put right", "the index is away")
	for _, fine := range []string{"configuration", "public address", "postgres", "clock", "connections", "pg_dump", "schema", "keys", "quotas", "files", "model", "egress"} {
		require.Equal(t, isFine, found[fine].State, "%s: %+v", fine, found[fine])
	}
	for name, c := range map[string]struct {
		more            []string
		of, state, says string
	}{
		"index away":      {nil, "weaviate", isFault, ""},
		"wrong keys":      {[]string{"REDLINE_ENCRYPTION_KEYS=" + secret.NewKey("e1").Encode()}, "keys", isFault, "do not fit the database"},
		"unused key":      {[]string{"REDLINE_ENCRYPTION_KEYS=" + secret.NewKey("e2").Encode() + "," + s.keys[0].Encode()}, "keys", isWarning, "still under the key e1"},
		"plain address":   {[]string{"REDLINE_PUBLIC_BASE_URL=http://redline.test"}, "public address", isWarning, "in clear"},
		"too many":        {[]string{"REDLINE_DATABASE_MAX_CONNS=2000"}, "connections", isFault, "takes up to"},
		"tools of before": {[]string{"REDLINE_POSTGRES_TOOLS=" + toolsOf(t, "15.4")}, "pg_dump", isWarning, "are of 15"},
		"no database":     {[]string{"REDLINE_DATABASE_URL=postgres://u:hunter2@127.0.0.1:1/d"}, "postgres", isFault, ""},
		"no folder":       {[]string{"REDLINE_BLOB_DIR=/dev/null/x"}, "files", isFault, ""},
		"inner addresses": {[]string{"REDLINE_EGRESS_ALLOW_CIDRS=10.0.0.0/8"}, "egress", isWarning, "usually refused"},
		"unknown name":    {[]string{"REDLINE_DATABSE_URL=x"}, "REDLINE_DATABSE_URL", isWarning, "is not known"},
		"faulty value":    {[]string{"REDLINE_PPROF=perhaps"}, "REDLINE_PPROF", isFault, "true or false"},
		"another model":   {[]string{"REDLINE_EMBEDDER=http", "REDLINE_EMBED_URL=http://127.0.0.1:1", "REDLINE_EMBED_MODEL=m", "REDLINE_EMBED_DIMENSIONS=3"}, "model", isFault, "cannot be embedded"},
	} {
		found, err := s.examined(c.more...)
		require.Error(t, err, name)
		require.Equal(t, c.state, found[c.of].State, "%s: %+v", name, found)
		require.Contains(t, found[c.of].Says, c.says, name)
		for _, f := range found {
			require.NotContains(t, f.Says+f.Do, "hunter2", name)
		}
	}
	_, err = s.db.Pool.Exec(t.Context(), `INSERT INTO storage_use (workspace_id, kind, bytes, is_full) VALUES ($1, 'rows', 1, true)
ON CONFLICT (workspace_id, kind) DO UPDATE SET is_full = true`, s.workspace.ID)
	require.NoError(t, err)
	found, err = s.examined()
	require.Error(t, err)
	require.Contains(t, found["quotas"].Says, "1 workspaces have used one up")
	other := s.elsewhere()
	found, err = other.examined()
	require.Error(t, err)
	require.Equal(t, "run redline migrate", found["schema"].Do)
}
