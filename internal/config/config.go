package config

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/secret"
)

// Config is the configuration of one process.
type Config struct {
	HTTP          HTTP
	Console       Console
	Database      Database
	Temporal      Temporal
	Weaviate      Weaviate
	Blob          Blob
	Embed         Embed
	Keys          Keys
	Rates         Rates
	Quotas        Quotas
	Workflow      Workflow
	Egress        Egress
	Webhook       Webhook
	Notifications Notifications
	SMTP          SMTP
	Stop          Stop
	Telemetry     Telemetry
}

// HTTP are the two listeners.
type HTTP struct {
	Addr    string `env:"REDLINE_HTTP_ADDR" envDefault:":8080"`
	OpsAddr string `env:"REDLINE_OPS_ADDR" envDefault:"127.0.0.1:8081"`
	// OpsHosts are names that the operations listener answers to, beside addresses and
	// localhost.
	OpsHosts []string `env:"REDLINE_OPS_HOSTS"`
	Pprof    bool     `env:"REDLINE_PPROF" envDefault:"false"`
	// OpsTry lets the operations listener answer operations that are tried on
	// the page of the interface.
	OpsTry bool `env:"REDLINE_OPS_TRY" envDefault:"false"`
	// PublicURL is the base of signed addresses and of callbacks.
	PublicURL      string         `env:"REDLINE_PUBLIC_BASE_URL"`
	TrustedProxies []netip.Prefix `env:"REDLINE_TRUSTED_PROXIES"`
	CORS           bool           `env:"REDLINE_CORS_ENABLED" envDefault:"false"`
	TLSCertFile    string         `env:"REDLINE_TLS_CERT_FILE"`
	TLSKeyFile     string         `env:"REDLINE_TLS_KEY_FILE"`
}

// Console are the pages in a browser. Without an address there are none.
type Console struct {
	Addr string `env:"REDLINE_CONSOLE_ADDR"`
	// TemporalUI is where Temporal's own pages are, MailsURL what the catcher of mails of a
	// development stack has caught; the pages lead there, or show it.
	TemporalUI string `env:"REDLINE_CONSOLE_TEMPORAL_UI_URL"`
	MailsURL   string `env:"REDLINE_CONSOLE_MAILS_URL"`
}

// Database is Postgres.
type Database struct {
	URL Secret `env:"REDLINE_DATABASE_URL"`
	// MaxConns are for calls, WorkerConns for work.
	MaxConns    int32 `env:"REDLINE_DATABASE_MAX_CONNS" envDefault:"20"`
	WorkerConns int32 `env:"REDLINE_DATABASE_WORKER_CONNS" envDefault:"12"`
	// ClearEvery is how often a worker removes what has become too old: often, so that
	// each time there is little of it.
	ClearEvery time.Duration `env:"REDLINE_CLEAR_EVERY" envDefault:"1m"`
	// Tools is the folder of pg_dump and pg_restore, which backups need.
	Tools string `env:"REDLINE_POSTGRES_TOOLS"`
}

// Temporal is how the server of that name is reached. Without any TLS setting the connection is plain.
type Temporal struct {
	Addr          string `env:"REDLINE_TEMPORAL_ADDR"`
	Namespace     string `env:"REDLINE_TEMPORAL_NAMESPACE" envDefault:"svc"`
	TLSCertFile   string `env:"REDLINE_TEMPORAL_TLS_CERT_FILE"`
	TLSKeyFile    string `env:"REDLINE_TEMPORAL_TLS_KEY_FILE"`
	TLSCAFile     string `env:"REDLINE_TEMPORAL_TLS_CA_FILE"`
	TLSServerName string `env:"REDLINE_TEMPORAL_TLS_SERVER_NAME"`
}

// Weaviate is the vector index, host:port each. A key goes with every call; with TLS the
// certificates of both are checked against the system's authorities.
type Weaviate struct {
	Addr     string `env:"REDLINE_WEAVIATE_ADDR"`
	GRPCAddr string `env:"REDLINE_WEAVIATE_GRPC_ADDR"`
	APIKey   Secret `env:"REDLINE_WEAVIATE_API_KEY"`
	TLS      bool   `env:"REDLINE_WEAVIATE_TLS"`
}

// Blob is the file store: a folder, or a bucket of S3 or of what speaks like it.
type Blob struct {
	Dir string `env:"REDLINE_BLOB_DIR"`
	// Bucket is the logical name in storage paths, whatever stands behind it.
	Bucket      string `env:"REDLINE_BLOB_BUCKET" envDefault:"knowledge"`
	S3Bucket    string `env:"REDLINE_BLOB_S3_BUCKET"`
	S3Region    string `env:"REDLINE_BLOB_S3_REGION"`
	S3Endpoint  string `env:"REDLINE_BLOB_S3_ENDPOINT"`
	S3AccessKey string `env:"REDLINE_BLOB_S3_ACCESS_KEY"`
	S3SecretKey Secret `env:"REDLINE_BLOB_S3_SECRET_KEY"`
}

// Embed chooses what makes vectors; Previous is the model being replaced.
type Embed struct {
	Provider           string `env:"REDLINE_EMBEDDER" envDefault:"local"`
	RuntimeLibrary     string `env:"REDLINE_ONNXRUNTIME_LIB"`
	URL                string `env:"REDLINE_EMBED_URL"`
	APIKey             Secret `env:"REDLINE_EMBED_API_KEY"`
	Model              string `env:"REDLINE_EMBED_MODEL"`
	Dimensions         int    `env:"REDLINE_EMBED_DIMENSIONS"`
	PreviousURL        string `env:"REDLINE_EMBED_PREVIOUS_URL"`
	PreviousAPIKey     Secret `env:"REDLINE_EMBED_PREVIOUS_API_KEY"`
	PreviousModel      string `env:"REDLINE_EMBED_PREVIOUS_MODEL"`
	PreviousDimensions int    `env:"REDLINE_EMBED_PREVIOUS_DIMENSIONS"`
}

// Keys are the keys of the process, in both lists the writing one first.
type Keys struct {
	Encryption KeyList `env:"REDLINE_ENCRYPTION_KEYS"`
	Hash       KeyList `env:"REDLINE_HASH_KEYS"`
}

// KeyList is written as id:base64,id:base64.
type KeyList []secret.Key

// Rates are calls per minute (Create: per hour); 0 is off. Those of the memory
// operations hold for each operation by itself.
type Rates struct {
	Key           int `env:"REDLINE_RATE_KEY_PER_MIN" envDefault:"1000"`
	Workspace     int `env:"REDLINE_RATE_WORKSPACE_PER_MIN" envDefault:"120"`
	Create        int `env:"REDLINE_RATE_CREATE_PER_HOUR" envDefault:"20"`
	IP            int `env:"REDLINE_RATE_IP_PER_MIN" envDefault:"300"`
	MemoryStatus  int `env:"REDLINE_RATE_MEMORY_STATUS_PER_MIN" envDefault:"600"`
	MemoryQuery   int `env:"REDLINE_RATE_MEMORY_QUERY_PER_MIN" envDefault:"300"`
	MemoryRead    int `env:"REDLINE_RATE_MEMORY_READ_PER_MIN" envDefault:"120"`
	MemoryUpload  int `env:"REDLINE_RATE_MEMORY_UPLOAD_PER_MIN" envDefault:"100"`
	MemorySuggest int `env:"REDLINE_RATE_MEMORY_SUGGEST_PER_MIN" envDefault:"60"`
	MemoryWrite   int `env:"REDLINE_RATE_MEMORY_WRITE_PER_MIN" envDefault:"30"`
}

// Quotas are limits per workspace that time does not lift, and the operator's
// changes to the list of disposable domains.
type Quotas struct {
	Endpoints       int `env:"REDLINE_MAX_ENDPOINTS" envDefault:"50"`
	LiveExecutions  int `env:"REDLINE_MAX_LIVE_EXECUTIONS" envDefault:"100000"`
	KeysTestingFree int `env:"REDLINE_MAX_KEYS_TESTING_FREE" envDefault:"20"`
	KeysTestingPaid int `env:"REDLINE_MAX_KEYS_TESTING_PAID" envDefault:"50"`
	KeysProduction  int `env:"REDLINE_MAX_KEYS_PRODUCTION" envDefault:"10"`
	// Bytes that a workspace of each plan may keep of files and of rows, and of the bodies of the
	// messages of a day; 0 is no limit.
	FilesFree           int64  `env:"REDLINE_QUOTA_FILES_FREE" envDefault:"2147483648"`
	FilesPaid           int64  `env:"REDLINE_QUOTA_FILES_PAID" envDefault:"214748364800"`
	RowsFree            int64  `env:"REDLINE_QUOTA_ROWS_FREE" envDefault:"2147483648"`
	RowsPaid            int64  `env:"REDLINE_QUOTA_ROWS_PAID" envDefault:"214748364800"`
	MessagesFree        int64  `env:"REDLINE_QUOTA_MESSAGES_FREE" envDefault:"1073741824"`
	MessagesPaid        int64  `env:"REDLINE_QUOTA_MESSAGES_PAID" envDefault:"53687091200"`
	DisposableExtraFile string `env:"REDLINE_DISPOSABLE_EXTRA_FILE"`
	DisposableAllowFile string `env:"REDLINE_DISPOSABLE_ALLOW_FILE"`
}

// Workflow is how a worker uses Temporal.
type Workflow struct {
	// StartsInFlight is how many starts of runs are asked for at once.
	StartsInFlight int `env:"REDLINE_STARTS_IN_FLIGHT" envDefault:"16"`
	// StepCalls is how many calls of steps a workspace may have under way.
	StepCalls int `env:"REDLINE_STEP_CALLS" envDefault:"200"`
	// ContinueAsNewEvents is the length of a run's history after which it goes on as a new one.
	ContinueAsNewEvents int `env:"REDLINE_CONTINUE_AS_NEW_EVENTS" envDefault:"4000"`
	// IngestionPatience is for how long the stage of an ingestion is tried again after its first fault.
	IngestionPatience time.Duration `env:"REDLINE_INGESTION_PATIENCE" envDefault:"6h"`
	// Lock is for how long work is locked at most that a worker has claimed, and so how late it
	// goes on when that worker died; most kinds are locked for a shorter time than is usual here.
	Lock time.Duration `env:"REDLINE_WORK_LOCK" envDefault:"45s"`
	// Sticky is how long a task waits for the worker that has its run in memory before any worker
	// may take it. Temporal learns late of a worker that died, so this is what its runs wait for
	// then; a worker that is only busy is quicker than that.
	Sticky time.Duration `env:"REDLINE_STICKY_WAIT" envDefault:"1s"`
	// Linger is for how long a run of deliveries looks for more to send before it rests.
	Linger time.Duration `env:"REDLINE_DELIVERY_LINGER" envDefault:"5s"`
}

// Egress configures the guard of outgoing connections.
type Egress struct {
	AllowCIDRs         []string `env:"REDLINE_EGRESS_ALLOW_CIDRS"`
	AllowHosts         []string `env:"REDLINE_EGRESS_ALLOW_HOSTS"`
	WorkflowAllowCIDRs []string `env:"REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS"`
	DenyCIDRs          []string `env:"REDLINE_EGRESS_DENY_CIDRS"`
	CAFile             string   `env:"REDLINE_EGRESS_CA_FILE"`
	Resolve            []string `env:"REDLINE_EGRESS_RESOLVE"`
}

// Guard are the guard's options as they are configured.
func (e Egress) Guard() guard.Options {
	return guard.Options{
		AllowCIDRs: e.AllowCIDRs, AllowHosts: e.AllowHosts, WorkflowAllowCIDRs: e.WorkflowAllowCIDRs,
		DenyCIDRs: e.DenyCIDRs, CAFile: e.CAFile, Resolve: e.Resolve,
	}
}

// Webhook is how deliveries are made and kept.
type Webhook struct {
	AttemptTimeout time.Duration `env:"REDLINE_WEBHOOK_TIMEOUT" envDefault:"15s"`
	// Schedule are the pauses after each failed attempt.
	Schedule []time.Duration `env:"REDLINE_WEBHOOK_SCHEDULE" envDefault:"5s,5m,30m,2h,5h,10h,10h"`
	// Slots are the requests under way in one worker.
	Slots int `env:"REDLINE_WEBHOOK_SLOTS" envDefault:"500"`
	// PayloadDays are kept the bodies of messages, AttemptDays messages, attempts
	// and mails; what is not delivered yet is kept longer.
	PayloadDays int `env:"REDLINE_WEBHOOK_PAYLOAD_DAYS" envDefault:"30"`
	AttemptDays int `env:"REDLINE_WEBHOOK_ATTEMPT_DAYS" envDefault:"90"`
}

// Notifications is for how long notifications inside products are kept.
type Notifications struct {
	Days int `env:"REDLINE_NOTIFICATION_DAYS" envDefault:"180"`
}

// SMTP is the operator's relay.
type SMTP struct {
	Addr     string `env:"REDLINE_SMTP_ADDR"`
	Username string `env:"REDLINE_SMTP_USERNAME"`
	Password Secret `env:"REDLINE_SMTP_PASSWORD"`
	Security string `env:"REDLINE_SMTP_SECURITY" envDefault:"starttls"`
	From     string `env:"REDLINE_SMTP_FROM"`
	// FreePerDay and FreeTotal are recipients a day of a workspace of the free plan, and of all of
	// them together; no FreeTotal is no limit of these, nor of mails to one address.
	FreePerDay int `env:"REDLINE_SMTP_FREE_PER_DAY" envDefault:"100"`
	FreeTotal  int `env:"REDLINE_SMTP_FREE_TOTAL_PER_DAY" envDefault:"2000"`
	// OwnersConfirmed: workspaces of the free plan are served whether or not their owner has confirmed
	// the address.
	OwnersConfirmed bool `env:"REDLINE_OWNERS_CONFIRMED" envDefault:"false"`
	// Timeout is for one attempt, at the hosts of workspaces too; Schedule are the
	// pauses after each failed one.
	Timeout  time.Duration   `env:"REDLINE_MAIL_TIMEOUT" envDefault:"30s"`
	Schedule []time.Duration `env:"REDLINE_MAIL_SCHEDULE" envDefault:"1m,5m,30m,2h,6h,12h"`
}

// Stop is how a process ends: how long it goes on serving after it said that it
// is not ready, and how long what is under way may take then.
type Stop struct {
	Delay   time.Duration `env:"REDLINE_SHUTDOWN_DELAY" envDefault:"5s"`
	Timeout time.Duration `env:"REDLINE_SHUTDOWN_TIMEOUT" envDefault:"30s"`
}

// Telemetry is what the process publishes about itself, and to whom.
type Telemetry struct {
	LogLevel     slog.Level `env:"REDLINE_LOG_LEVEL" envDefault:"info"`
	OTLPEndpoint string     `env:"REDLINE_OTLP_ENDPOINT"`
	TraceRatio   float64    `env:"REDLINE_TRACE_RATIO" envDefault:"0.05"`
}

// Secret is a text that is never printed.
type Secret string

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String hides the text.
func (s Secret) String() string { return "hidden" }

// GoString is String, for the verb %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue is String, for logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
