package api_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/api"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/vector"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/contract"
)

// nowhere is an address at which nothing listens.
const nowhere = "127.0.0.1:1"

// server is the interface in this process: the real table of routes over a real
// Postgres. There is no worker, no Temporal and no Weaviate.
type server struct {
	// URL is its base address, Database that of its rows.
	URL, Database string

	close func()
}

// suite is what all tests share: the server of those that need no settings, and
// the published document against which all calls are held.
var suite struct {
	once      sync.Once
	server    *server
	files     string
	fetch     sync.Once
	published *contract.Document
}

// handlerServer returns the server that all tests share. With settings, NAME=value
// each, it starts one that is the test's own, with a database of its own.
func handlerServer(t *testing.T, settings ...string) *server {
	t.Helper()
	if len(settings) > 0 {
		s := serve(t, pgtest.URL(t), t.TempDir(), settings)
		t.Cleanup(s.close)
		return s
	}
	suite.once.Do(func() {
		var err error
		suite.files, err = os.MkdirTemp("", "redline-handlers-") //nolint:usetesting // it outlives the test that is first
		require.NoError(t, err)
		suite.server = serve(t, pgtest.Shared(t), suite.files, nil)
	})
	require.NotNil(t, suite.server, "the server of all tests did not start")
	return suite.server
}

// serve starts a server and holds all calls of clients made from now on against its
// document.
func serve(t *testing.T, database, files string, settings []string) *server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	environ := slices.Concat(profile(), []string{
		"REDLINE_PUBLIC_BASE_URL=http://" + listener.Addr().String(), "REDLINE_DATABASE_URL=" + database, "REDLINE_BLOB_DIR=" + files,
		"REDLINE_EGRESS_CA_FILE=" + trusted(t, files),
	})
	conf, unknown, err := config.Load(config.API, changed(environ, settings))
	require.NoError(t, err)
	require.Empty(t, unknown, "variables that are not known")
	life, end := context.WithCancel(context.Background())
	parts, closeParts := open(t, life, conf)
	face, err := api.New(life, parts)
	require.NoError(t, err)
	running := httptest.NewUnstartedServer(nil)
	require.NoError(t, running.Listener.Close())
	running.Listener, running.Config = listener, face.Listener(life)
	running.Start()
	fetchOnce(t, running.URL)
	return &server{URL: running.URL, Database: database, close: func() {
		running.Close()
		end()
		closeParts()
	}}
}

// profile are the settings of all servers: no limits of calls, receivers on loopback,
// no part but Postgres.
func profile() []string {
	return []string{
		"REDLINE_ENCRYPTION_KEYS=" + key(1), "REDLINE_HASH_KEYS=" + key(2),
		"REDLINE_WEAVIATE_ADDR=" + nowhere, "REDLINE_WEAVIATE_GRPC_ADDR=" + nowhere, "REDLINE_EMBEDDER=lexical",
		"REDLINE_RATE_KEY_PER_MIN=0", "REDLINE_RATE_WORKSPACE_PER_MIN=0", "REDLINE_RATE_CREATE_PER_HOUR=0", "REDLINE_RATE_IP_PER_MIN=0",
		"REDLINE_RATE_MEMORY_STATUS_PER_MIN=0", "REDLINE_RATE_MEMORY_QUERY_PER_MIN=0", "REDLINE_RATE_MEMORY_READ_PER_MIN=0",
		"REDLINE_RATE_MEMORY_UPLOAD_PER_MIN=0", "REDLINE_RATE_MEMORY_SUGGEST_PER_MIN=0", "REDLINE_RATE_MEMORY_WRITE_PER_MIN=0",
		"REDLINE_QUOTA_FILES_FREE=0", "REDLINE_QUOTA_FILES_PAID=0", "REDLINE_QUOTA_ROWS_FREE=0", "REDLINE_QUOTA_ROWS_PAID=0",
		"REDLINE_QUOTA_MESSAGES_FREE=0", "REDLINE_QUOTA_MESSAGES_PAID=0",
		"REDLINE_EGRESS_ALLOW_CIDRS=127.0.0.0/8", "REDLINE_EGRESS_ALLOW_HOSTS=localhost", "REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS=127.0.0.0/8",
		"REDLINE_EGRESS_RESOLVE=receiver.test=127.0.0.1",
		"REDLINE_SMTP_ADDR=" + nowhere, "REDLINE_SMTP_SECURITY=none", "REDLINE_SMTP_FROM=redline@receiver.test",
	}
}

// changed are settings of which some have another value, or none.
func changed(settings, others []string) []string {
	for _, other := range others {
		name, _, _ := strings.Cut(other, "=")
		settings = slices.DeleteFunc(settings, func(setting string) bool { return strings.HasPrefix(setting, name+"=") })
	}
	return append(settings, others...)
}

// key is a key of 32 equal bytes in the form of the configuration.
func key(each byte) string {
	return "test:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{each}, 32))
}

// entryConns are the connections by which callers are known.
const entryConns = 3

// open opens the parts of a server as they are configured, and lets run until life
// ends what a process runs beside the interface.
func open(t *testing.T, life context.Context, conf config.Config) (parts *api.Parts, closeParts func()) {
	t.Helper()
	box, err := secret.NewBox(conf.Keys.Encryption, conf.Keys.Hash)
	require.NoError(t, err)
	egress := conf.Egress.Guard()
	egress.OnRefused = noteRefusal
	outside, err := guard.New(egress)
	require.NoError(t, err)
	calls, err := models.Open(life, conf.Database.URL.Reveal(), models.PoolOptions{Conns: conf.Database.MaxConns, Shared: true})
	require.NoError(t, err)
	entry, err := models.Open(life, conf.Database.URL.Reveal(), models.PoolOptions{Conns: entryConns})
	require.NoError(t, err)
	files, err := blob.Open(blob.Options{Dir: conf.Blob.Dir})
	require.NoError(t, err)
	index, err := vector.New(conf.Weaviate.Addr, conf.Weaviate.GRPCAddr)
	require.NoError(t, err)
	options := models.Configured(conf, outside)
	metrics, stores, entries := telemetry.NewMetrics(), models.NewStores(calls, box, options), models.NewStores(entry, box, options)
	limiter, hints := api.NewLimiter(entries, conf.Rates, metrics), notifier.New(calls, entry)
	var beside sync.WaitGroup
	beside.Go(func() { hints.Run(life) })
	beside.Go(func() { limiter.Run(life) })
	beside.Go(func() { stores.Quotas.Run(life) })
	calls.SetGate(stores.Quotas)
	parts = &api.Parts{
		Conf: conf, Log: slog.New(slog.DiscardHandler), Metrics: metrics, Box: box, Guard: outside, Stores: stores, Entry: entries, Limiter: limiter,
		Files: files, Index: index, Models: embed.NewModels(embed.Lexical{}, nil), Texts: modelstest.InProcess{},
	}
	return parts, func() {
		beside.Wait()
		calls.Close()
		entry.Close()
	}
}

// fetchOnce reads the published document, of which there is one for all servers.
func fetchOnce(t *testing.T, url string) {
	t.Helper()
	suite.fetch.Do(func() {
		var err error
		suite.published, err = contract.Fetch(t.Context(), url)
		require.NoError(t, err)
		client.Around = suite.published.Around
	})
	require.NotNil(t, suite.published, "the published document could not be read")
}

// closeSuite ends what all tests shared. Error: the calls that were not as the
// document says.
func closeSuite() error {
	var err error
	if suite.published != nil {
		err = suite.published.Mismatches()
	}
	if suite.server != nil {
		suite.server.close()
	}
	if suite.files != "" {
		err = errors.Join(err, os.RemoveAll(suite.files))
	}
	return err
}

// A workspace that was made over HTTP is found by its key, and a wrong token opens nothing.
func TestTheServerAnswersClients(t *testing.T) {
	t.Parallel()
	s := handlerServer(t)
	made, err := client.CreateWorkspace(t.Context(), s.URL, kit.Unique("owner")+"@handlers.example.com")
	require.NoError(t, err)
	page, err := client.Call[redline.DefinitionList](t.Context(), made.Keyed, client.ListDefinitions, map[string]any{})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	wrong := made.Keyed.With(map[string]string{"x-svc-api-key": made.APIKey, "x-svc-auth-token": made.AuthToken + "x"})
	_, err = client.Call[any](t.Context(), wrong, client.ListDefinitions, map[string]any{})
	require.Equal(t, redline.ProblemStatusUnauthenticated, redline.AsError(err).Status)
	require.Equal(t, s.URL, handlerServer(t).URL, "tests without settings share one server")
}

// A server with settings of its own keeps to them, and has rows of its own.
func TestAServerHasSettingsOfItsOwn(t *testing.T) {
	t.Parallel()
	s := handlerServer(t, "REDLINE_RATE_KEY_PER_MIN=2")
	require.NotEqual(t, handlerServer(t).Database, s.Database)
	made, err := client.CreateWorkspace(t.Context(), s.URL, "owner@handlers.example.com")
	require.NoError(t, err)
	for range 2 {
		_, err = client.Call[any](t.Context(), made.Keyed, client.ListDefinitions, map[string]any{})
		require.NoError(t, err)
	}
	_, err = client.Call[any](t.Context(), made.Keyed, client.ListDefinitions, map[string]any{})
	require.Equal(t, http.StatusTooManyRequests, redline.AsError(err).HTTPStatus)
}
