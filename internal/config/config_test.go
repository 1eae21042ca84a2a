package config_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/secret"
)

// whole is what serve needs at least.
func whole(more ...string) []string {
	return append([]string{
		"PATH=/bin",
		"REDLINE_DATABASE_URL=postgres://user:hunter2@db/x",
		"REDLINE_TEMPORAL_ADDR=127.0.0.1:7233",
		"REDLINE_WEAVIATE_ADDR=127.0.0.1:8090",
		"REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:8091",
		"REDLINE_BLOB_DIR=/var/lib/x",
		"REDLINE_PUBLIC_BASE_URL=https://api.example.com",
		"REDLINE_ENCRYPTION_KEYS=" + secret.NewKey("a").Encode(),
		"REDLINE_HASH_KEYS=" + secret.NewKey("b").Encode() + "," + secret.NewKey("c").Encode(),
	}, more...)
}

// without drops a variable.
func without(environ []string, name string) []string {
	var kept []string
	for _, pair := range environ {
		if !strings.HasPrefix(pair, name+"=") {
			kept = append(kept, pair)
		}
	}
	return kept
}

func TestDefaults(t *testing.T) {
	c, unknown, err := config.Load(config.Serve, whole())
	require.NoError(t, err)
	require.Empty(t, unknown)
	require.Equal(t, ":8080", c.HTTP.Addr)
	require.Equal(t, "127.0.0.1:8081", c.HTTP.OpsAddr)
	require.EqualValues(t, 20, c.Database.MaxConns)
	require.EqualValues(t, 12, c.Database.WorkerConns)
	require.Equal(t, "svc", c.Temporal.Namespace)
	require.Equal(t, "knowledge", c.Blob.Bucket)
	require.Equal(t, config.Rates{
		Key: 1000, Workspace: 120, Create: 20, IP: 300, MemoryStatus: 600, MemoryQuery: 300,
		MemoryRead: 120, MemoryUpload: 100, MemorySuggest: 60, MemoryWrite: 30,
	}, c.Rates)
	require.Equal(t, 16, c.Workflow.StartsInFlight)
	require.Equal(t, 15*time.Second, c.Webhook.AttemptTimeout)
	require.Equal(t, []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 10 * time.Hour,
	}, c.Webhook.Schedule)
	require.Equal(t, config.Stop{Delay: 5 * time.Second, Timeout: 30 * time.Second}, c.Stop)
	require.Equal(t, slog.LevelInfo, c.Telemetry.LogLevel)
	require.InDelta(t, 0.05, c.Telemetry.TraceRatio, 0)
	require.Len(t, c.Keys.Hash, 2)
	require.Empty(t, c.Egress.AllowCIDRs)
}

func TestValues(t *testing.T) {
	c, _, err := config.Load(config.Serve, whole(
		"REDLINE_TRUSTED_PROXIES=10.0.0.0/8,fd00::/8", "REDLINE_EGRESS_ALLOW_CIDRS=127.0.0.0/8:1024-65535",
		"REDLINE_WEBHOOK_SCHEDULE=1s,2s", "REDLINE_LOG_LEVEL=debug", "REDLINE_RATE_KEY_PER_MIN=0", "REDLINE_HTTP_ADDR="))
	require.NoError(t, err)
	require.Len(t, c.HTTP.TrustedProxies, 2)
	require.Equal(t, []string{"127.0.0.0/8:1024-65535"}, c.Egress.AllowCIDRs)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, c.Webhook.Schedule)
	require.Equal(t, slog.LevelDebug, c.Telemetry.LogLevel)
	require.Zero(t, c.Rates.Key)
	require.Equal(t, ":8080", c.HTTP.Addr, "an empty value is none")
}

func TestEachRoleNeedsItsOwn(t *testing.T) {
	_, _, err := config.Load(config.API, without(whole(), "REDLINE_TEMPORAL_ADDR"))
	require.NoError(t, err, "the interface does not know Temporal")
	for _, role := range []config.Role{config.Serve, config.Worker} {
		_, _, err = config.Load(role, without(whole(), "REDLINE_TEMPORAL_ADDR"))
		require.ErrorContains(t, err, "REDLINE_TEMPORAL_ADDR: is required")
	}
	_, _, err = config.Load(config.Migrate, []string{"REDLINE_DATABASE_URL=postgres://x"})
	require.NoError(t, err)
	_, _, err = config.Load(config.Admin, []string{"REDLINE_DATABASE_URL=postgres://x"})
	require.ErrorContains(t, err, "REDLINE_ENCRYPTION_KEYS: is required")
	_, _, err = config.Load(config.Calibrate, nil)
	require.NoError(t, err, "the local model needs nothing")
	_, _, err = config.Load(config.Calibrate, []string{"REDLINE_EMBEDDER=none"})
	require.ErrorContains(t, err, "REDLINE_EMBEDDER: must be one of")
}

// A bad value names its variable and never shows itself.
func TestBadValues(t *testing.T) {
	long := strings.Repeat("b", 60)
	for pair, says := range map[string]string{
		"REDLINE_DATABASE_MAX_CONNS=many":            "must be a number",
		"REDLINE_DATABASE_MAX_CONNS=1":               "too small",
		"REDLINE_DATABASE_WORKER_CONNS=1":            "too small",
		"REDLINE_PPROF=perhaps":                      "true or false",
		"REDLINE_TRUSTED_PROXIES=10.1.2.3":           "address ranges",
		"REDLINE_WEBHOOK_TIMEOUT=15":                 "a time",
		"REDLINE_WEBHOOK_TIMEOUT=1999ms":             "too small",
		"REDLINE_MAIL_TIMEOUT=1999ms":                "too small",
		"REDLINE_MAIL_TIMEOUT=31s":                   "30s at most",
		"REDLINE_MAIL_SCHEDULE=1m,-1s":               "not negative",
		"REDLINE_MAIL_SCHEDULE=1000h,1000h,1000h":    "REDLINE_MAIL_SCHEDULE may take: 126 at least",
		"REDLINE_WEBHOOK_SCHEDULE=5s,-1s":            "not negative",
		"REDLINE_WEBHOOK_PAYLOAD_DAYS=0":             "too small",
		"REDLINE_WEBHOOK_PAYLOAD_DAYS=1":             "REDLINE_WEBHOOK_SCHEDULE may take: 2 at least",
		"REDLINE_WEBHOOK_ATTEMPT_DAYS=1":             "REDLINE_WEBHOOK_SCHEDULE may take: 2 at least",
		"REDLINE_NOTIFICATION_DAYS=0":                "too small",
		"REDLINE_CLEAR_EVERY=0s":                     "too small",
		"REDLINE_WORK_LOCK=99ms":                     "too small",
		"REDLINE_STICKY_WAIT=0s":                     "too small",
		"REDLINE_DELIVERY_LINGER=0s":                 "too small",
		"REDLINE_DELIVERY_LINGER=31s":                "30s at most",
		"REDLINE_WEBHOOK_SCHEDULE=5s,soon":           "a time",
		"REDLINE_LOG_LEVEL=loud":                     "debug, info",
		"REDLINE_TRACE_RATIO=1.5":                    "from 0 to 1",
		"REDLINE_RATE_KEY_PER_MIN=-3":                "too small",
		"REDLINE_RATE_MEMORY_WRITE_PER_MIN=x9":       "must be a number",
		"REDLINE_ENCRYPTION_KEYS=a:" + long:          "keys",
		"REDLINE_PUBLIC_BASE_URL=ftp://host.example": "http or https",
		"REDLINE_OTLP_ENDPOINT=collector:4317":       "http or https",
		"REDLINE_HTTP_ADDR=localhost":                "host:port",
		"REDLINE_TEMPORAL_ADDR=temporal.example":     "host:port",
		"REDLINE_TEMPORAL_ADDR=temporal:7233x":       "host:port",
		"REDLINE_WEAVIATE_GRPC_ADDR=weaviate:99999":  "host:port",
		"REDLINE_SMTP_ADDR=relay:smtp":               "host:port",
		"REDLINE_EMBEDDER=magic":                     "must be one of",
		"REDLINE_SMTP_SECURITY=maybe":                "must be one of",
		"REDLINE_SMTP_FROM=nobody":                   "an e-mail address",
		"REDLINE_SMTP_USERNAME=relay":                "belong together",
		"REDLINE_TLS_CERT_FILE=/nowhere":             "belong together",
		"REDLINE_SHUTDOWN_DELAY=-1s":                 "too small",
		"REDLINE_DATABASE_URL_FILE=/nowhere/at/all":  "cannot be read",
	} {
		name, value, _ := strings.Cut(pair, "=")
		environ := without(whole(), strings.TrimSuffix(name, "_FILE"))
		_, _, err := config.Load(config.Serve, append(environ, pair))
		require.Error(t, err, pair)
		require.Contains(t, err.Error(), name, pair)
		require.Contains(t, err.Error(), says, pair)
		if len(value) > 2 {
			require.NotContains(t, err.Error(), value, pair)
		}
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// What is kept for some days is kept for longer than its deliveries may take, with
// the schedule as it is set.
func TestRetentionIsLongerThanTheSchedule(t *testing.T) {
	for _, c := range []struct {
		schedule, timeout, days string
		fits                    bool
	}{
		{"5s,5m,30m,2h,5h,10h,10h", "15s", "2", true},
		{"5s", "15s", "1", true},
		{"19h59m", "15s", "1", true},
		{"20h", "15s", "1", false}, // a fifth longer is a whole day
		{"19h59m", "10m", "1", false},
		{"100h,100h", "15s", "10", false},
		{"100h,100h", "15s", "11", true},
		{"2562047h,2562047h,2562047h", "15s", "30", false}, // the longest pauses there are
	} {
		_, _, err := config.Load(config.Serve, whole("REDLINE_WEBHOOK_SCHEDULE="+c.schedule, "REDLINE_WEBHOOK_TIMEOUT="+c.timeout,
			"REDLINE_WEBHOOK_PAYLOAD_DAYS="+c.days, "REDLINE_WEBHOOK_ATTEMPT_DAYS=400000"))
		if c.fits {
			require.NoError(t, err, c)
		} else {
			require.ErrorContains(t, err, "REDLINE_WEBHOOK_PAYLOAD_DAYS: must be longer", c)
		}
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, _, err := config.Load(config.Serve, []string{"PATH=/bin"})
	for _, name := range []string{"REDLINE_DATABASE_URL", "REDLINE_PUBLIC_BASE_URL", "REDLINE_HASH_KEYS", "REDLINE_BLOB_DIR", "REDLINE_WEAVIATE_ADDR"} {
		require.ErrorContains(t, err, name)
	}
	_, _, err = config.Load(config.Serve, whole("REDLINE_PPROF=x", "REDLINE_STEP_CALLS=y"))
	require.ErrorContains(t, err, "REDLINE_PPROF")
	require.ErrorContains(t, err, "REDLINE_STEP_CALLS")
}

func TestExactlyOneBlobStore(t *testing.T) {
	_, _, err := config.Load(config.Serve, whole("REDLINE_BLOB_S3_BUCKET=b"))
	require.ErrorContains(t, err, "exactly one")
	_, _, err = config.Load(config.Serve, without(whole(), "REDLINE_BLOB_DIR"))
	require.ErrorContains(t, err, "exactly one")
	_, _, err = config.Load(config.Serve, append(without(whole(), "REDLINE_BLOB_DIR"), "REDLINE_BLOB_S3_BUCKET=b"))
	require.NoError(t, err)
}

func TestGoogleStoreIsReachedByS3(t *testing.T) {
	for _, pair := range []string{
		"REDLINE_BLOB_GCS_BUCKET=b", "REDLINE_BLOB_GCS_CREDENTIALS={}", "REDLINE_BLOB_GCS_CREDENTIALS_FILE=/key.json",
		"REDLINE_BLOB_DIR=gs://b", "REDLINE_BLOB_S3_BUCKET=gs://b", "REDLINE_BLOB_S3_ENDPOINT=gs://b",
	} {
		name, _, _ := strings.Cut(pair, "=")
		_, _, err := config.Load(config.Serve, append(without(whole(), name), pair))
		require.ErrorContains(t, err, name+": ")
		require.ErrorContains(t, err, "REDLINE_BLOB_S3_ENDPOINT=https://storage.googleapis.com")
	}
	_, _, err := config.Load(config.Serve, append(
		without(whole(), "REDLINE_BLOB_DIR"), "REDLINE_BLOB_S3_BUCKET=b", "REDLINE_BLOB_S3_ENDPOINT=https://storage.googleapis.com", "REDLINE_BLOB_S3_REGION=auto",
	))
	require.NoError(t, err)
}

func TestS3EndpointHasNoPath(t *testing.T) {
	s3 := append(without(whole(), "REDLINE_BLOB_DIR"), "REDLINE_BLOB_S3_BUCKET=b")
	for value, want := range map[string]string{"minio:9000": "must be an http or https URL", "http://minio:9000/b": "must have no path"} {
		_, _, err := config.Load(config.Serve, append(s3, "REDLINE_BLOB_S3_ENDPOINT="+value))
		require.ErrorContains(t, err, "REDLINE_BLOB_S3_ENDPOINT: "+want)
	}
	_, _, err := config.Load(config.Serve, append(s3, "REDLINE_BLOB_S3_ENDPOINT=http://minio:9000/"))
	require.NoError(t, err)
}

func TestSecretsFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "url")
	require.NoError(t, os.WriteFile(file, []byte("postgres://from-file\n"), 0o600))
	environ := append(without(whole(), "REDLINE_DATABASE_URL"), "REDLINE_DATABASE_URL_FILE="+file)
	c, unknown, err := config.Load(config.Serve, environ)
	require.NoError(t, err)
	require.Empty(t, unknown)
	require.Equal(t, "postgres://from-file", c.Database.URL.Reveal())
	_, _, err = config.Load(config.Serve, append(environ, "REDLINE_DATABASE_URL=postgres://x"))
	require.ErrorContains(t, err, "REDLINE_DATABASE_URL: set by value and by file")
}

func TestUnknownNamesAreOnlyReported(t *testing.T) {
	_, unknown, err := config.Load(config.Serve, whole("REDLINE_SERVICE_PORT_8080_TCP=1", "REDLINE_DATABSE_URL=x", "OTHER=1"))
	require.NoError(t, err)
	require.Equal(t, []string{"REDLINE_DATABSE_URL", "REDLINE_SERVICE_PORT_8080_TCP"}, unknown)
}

func TestSecretsAreNotPrinted(t *testing.T) {
	c, _, err := config.Load(config.Serve, whole())
	require.NoError(t, err)
	var out strings.Builder
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "url", c.Database.URL)
	out.WriteString(strings.Join([]string{c.Database.URL.String(), c.Database.URL.GoString()}, " "))
	require.NotContains(t, out.String(), "hunter2")
}

func TestAnEmbeddingEndpointNeedsAllOfIt(t *testing.T) {
	for prefix, environ := range map[string][]string{
		"REDLINE_EMBED_": whole("REDLINE_EMBEDDER=http"), "REDLINE_EMBED_PREVIOUS_": whole(),
	} {
		given := []string{prefix + "URL=http://models.internal/v1", prefix + "MODEL=small", prefix + "DIMENSIONS=384"}
		_, _, err := config.Load(config.Serve, append(environ, given...))
		require.NoError(t, err)
		for _, left := range given[1:] {
			name, _, _ := strings.Cut(left, "=")
			_, _, err := config.Load(config.Serve, without(append(environ, given...), name))
			require.ErrorContains(t, err, name)
		}
		_, _, err = config.Load(config.Serve, append(without(append(environ, given...), prefix+"URL"), prefix+"URL=models:80"))
		require.ErrorContains(t, err, prefix+"URL: must be an http or https URL")
	}
}
