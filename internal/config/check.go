package config

import (
	"fmt"
	"maps"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/webhook"
)

// Role is the command that runs.
type Role string

// The roles, each with needs of its own.
const (
	Serve   Role = "serve"
	API     Role = "api"
	Worker  Role = "worker"
	Migrate Role = "migrate"
	Admin   Role = "admin"
	// Calibrate is tools/calibrate, which asks the model and nothing else.
	Calibrate Role = "calibrate"
)

// checker collects faults.
type checker struct{ faults []string }

func (k *checker) fault(name, text string) { k.faults = append(k.faults, name+": "+text) }

// check looks for what is missing for the role, and for what has a form that
// its type does not say.
func (c *Config) check(role Role) []string {
	k := &checker{}
	if role == Calibrate {
		c.Embed.check(k)
		return k.faults
	}
	k.required("REDLINE_DATABASE_URL", c.Database.URL.Reveal())
	k.atLeast("REDLINE_DATABASE_MAX_CONNS", int(c.Database.MaxConns), 2)
	k.atLeast("REDLINE_DATABASE_WORKER_CONNS", int(c.Database.WorkerConns), 2)
	if role == Migrate {
		return k.faults
	}
	k.required("REDLINE_ENCRYPTION_KEYS", strings.Repeat("x", len(c.Keys.Encryption)))
	k.required("REDLINE_HASH_KEYS", strings.Repeat("x", len(c.Keys.Hash)))
	if role == Admin {
		return k.faults
	}
	c.checkParts(k, role)
	c.checkListeners(k)
	c.checkNumbers(k)
	c.checkWords(k)
	return k.faults
}

// checkParts looks at the addresses of the parts that a role uses.
func (c *Config) checkParts(k *checker, role Role) {
	if role != API {
		k.required("REDLINE_TEMPORAL_ADDR", c.Temporal.Addr)
		k.pair("REDLINE_TEMPORAL_TLS_CERT_FILE", c.Temporal.TLSCertFile, "REDLINE_TEMPORAL_TLS_KEY_FILE", c.Temporal.TLSKeyFile)
	}
	k.required("REDLINE_WEAVIATE_ADDR", c.Weaviate.Addr)
	k.required("REDLINE_WEAVIATE_GRPC_ADDR", c.Weaviate.GRPCAddr)
	k.address("REDLINE_TEMPORAL_ADDR", c.Temporal.Addr)
	k.address("REDLINE_WEAVIATE_ADDR", c.Weaviate.Addr)
	k.address("REDLINE_WEAVIATE_GRPC_ADDR", c.Weaviate.GRPCAddr)
	k.address("REDLINE_SMTP_ADDR", c.SMTP.Addr)
	c.Blob.check(k)
}

// googleByS3 is how files are kept in Google's store, which has no driver of its own.
const googleByS3 = "Google's store is reached by its S3 interface: set REDLINE_BLOB_S3_ENDPOINT=https://storage.googleapis.com, " +
	"REDLINE_BLOB_S3_REGION=auto, REDLINE_BLOB_S3_BUCKET to the name of the bucket without gs://, and " +
	"REDLINE_BLOB_S3_ACCESS_KEY and REDLINE_BLOB_S3_SECRET_KEY to an HMAC key"

// refuseGoogle looks for a store that is named as if there were a driver for Google's.
func refuseGoogle(set map[string]string) []string {
	k := &checker{}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if strings.HasPrefix(name, "REDLINE_BLOB_GCS_") || strings.HasPrefix(name, "REDLINE_BLOB_") && strings.HasPrefix(set[name], "gs://") {
			k.fault(name, googleByS3)
		}
	}
	return k.faults
}

func (b Blob) check(k *checker) {
	if (b.Dir == "") == (b.S3Bucket == "") {
		k.fault("REDLINE_BLOB_DIR or REDLINE_BLOB_S3_BUCKET", "exactly one must be set")
	}
	k.url("REDLINE_BLOB_S3_ENDPOINT", b.S3Endpoint)
	if u, err := url.Parse(b.S3Endpoint); err == nil && strings.Trim(u.Path, "/") != "" {
		k.fault("REDLINE_BLOB_S3_ENDPOINT", "must have no path; the bucket is REDLINE_BLOB_S3_BUCKET")
	}
}

func (c *Config) checkListeners(k *checker) {
	k.required("REDLINE_PUBLIC_BASE_URL", c.HTTP.PublicURL)
	k.url("REDLINE_PUBLIC_BASE_URL", c.HTTP.PublicURL)
	k.url("REDLINE_OTLP_ENDPOINT", c.Telemetry.OTLPEndpoint)
	k.address("REDLINE_HTTP_ADDR", c.HTTP.Addr)
	k.address("REDLINE_OPS_ADDR", c.HTTP.OpsAddr)
	k.address("REDLINE_CONSOLE_ADDR", c.Console.Addr)
	k.url("REDLINE_CONSOLE_TEMPORAL_UI_URL", c.Console.TemporalUI)
	k.url("REDLINE_CONSOLE_MAILS_URL", c.Console.MailsURL)
	k.pair("REDLINE_TLS_CERT_FILE", c.HTTP.TLSCertFile, "REDLINE_TLS_KEY_FILE", c.HTTP.TLSKeyFile)
}

// shortestAttempt is the least limit of an attempt: a whole limit and a second of its lock,
// which lasts twice the limit, have to be left when it is sent.
const shortestAttempt = 2 * time.Second

// longestMail is all that a mail host is given for one try (internal/mail).
const longestMail = 30 * time.Second

func (c *Config) checkNumbers(k *checker) {
	for name, value := range map[string]int{
		"REDLINE_STARTS_IN_FLIGHT": c.Workflow.StartsInFlight, "REDLINE_STEP_CALLS": c.Workflow.StepCalls,
		"REDLINE_CONTINUE_AS_NEW_EVENTS": c.Workflow.ContinueAsNewEvents, "REDLINE_WEBHOOK_SLOTS": c.Webhook.Slots,
		"REDLINE_WEBHOOK_PAYLOAD_DAYS": c.Webhook.PayloadDays, "REDLINE_WEBHOOK_ATTEMPT_DAYS": c.Webhook.AttemptDays,
		"REDLINE_NOTIFICATION_DAYS": c.Notifications.Days, "REDLINE_SHUTDOWN_TIMEOUT": int(c.Stop.Timeout.Milliseconds()),
		"REDLINE_CLEAR_EVERY": int(c.Database.ClearEvery.Milliseconds()), "REDLINE_INGESTION_PATIENCE": int(c.Workflow.IngestionPatience.Milliseconds()),
	} {
		k.atLeast(name, value, 1)
	}
	for name, value := range map[string]int{
		"REDLINE_RATE_KEY_PER_MIN": c.Rates.Key, "REDLINE_RATE_WORKSPACE_PER_MIN": c.Rates.Workspace,
		"REDLINE_RATE_CREATE_PER_HOUR": c.Rates.Create, "REDLINE_RATE_IP_PER_MIN": c.Rates.IP,
		"REDLINE_RATE_MEMORY_STATUS_PER_MIN": c.Rates.MemoryStatus, "REDLINE_RATE_MEMORY_QUERY_PER_MIN": c.Rates.MemoryQuery,
		"REDLINE_RATE_MEMORY_READ_PER_MIN": c.Rates.MemoryRead, "REDLINE_RATE_MEMORY_UPLOAD_PER_MIN": c.Rates.MemoryUpload,
		"REDLINE_RATE_MEMORY_SUGGEST_PER_MIN": c.Rates.MemorySuggest, "REDLINE_RATE_MEMORY_WRITE_PER_MIN": c.Rates.MemoryWrite,
		"REDLINE_MAX_ENDPOINTS": c.Quotas.Endpoints, "REDLINE_MAX_LIVE_EXECUTIONS": c.Quotas.LiveExecutions,
		"REDLINE_MAX_KEYS_TESTING_FREE": c.Quotas.KeysTestingFree, "REDLINE_MAX_KEYS_TESTING_PAID": c.Quotas.KeysTestingPaid,
		"REDLINE_QUOTA_FILES_FREE": int(c.Quotas.FilesFree), "REDLINE_QUOTA_FILES_PAID": int(c.Quotas.FilesPaid),
		"REDLINE_QUOTA_ROWS_FREE": int(c.Quotas.RowsFree), "REDLINE_QUOTA_ROWS_PAID": int(c.Quotas.RowsPaid),
		"REDLINE_QUOTA_MESSAGES_FREE": int(c.Quotas.MessagesFree), "REDLINE_QUOTA_MESSAGES_PAID": int(c.Quotas.MessagesPaid),
		"REDLINE_MAX_KEYS_PRODUCTION": c.Quotas.KeysProduction, "REDLINE_SMTP_FREE_PER_DAY": c.SMTP.FreePerDay,
		"REDLINE_SMTP_FREE_TOTAL_PER_DAY": c.SMTP.FreeTotal,
		"REDLINE_SHUTDOWN_DELAY":          int(c.Stop.Delay.Milliseconds()),
	} {
		k.atLeast(name, value, 0)
	}
	for name, limit := range map[string]time.Duration{"REDLINE_WEBHOOK_TIMEOUT": c.Webhook.AttemptTimeout, "REDLINE_MAIL_TIMEOUT": c.SMTP.Timeout} {
		k.atLeast(name, int(limit.Milliseconds()), int(shortestAttempt.Milliseconds()))
	}
	c.Workflow.checkWaits(k)
	if c.SMTP.Timeout > longestMail {
		k.fault("REDLINE_MAIL_TIMEOUT", "must be "+longestMail.String()+" at most")
	}
	for name, pauses := range map[string][]time.Duration{"REDLINE_WEBHOOK_SCHEDULE": c.Webhook.Schedule, "REDLINE_MAIL_SCHEDULE": c.SMTP.Schedule} {
		if len(pauses) == 0 || slices.Min(pauses) < 0 {
			k.fault(name, "must be pauses like 5s,5m that are not negative")
		}
	}
	c.checkDays(k)
	if c.Telemetry.TraceRatio < 0 || c.Telemetry.TraceRatio > 1 {
		k.fault("REDLINE_TRACE_RATIO", "must be from 0 to 1")
	}
	slices.Sort(k.faults) // the two lists have no order
}

// longestLinger leaves an activity of deliveries, which Temporal gives a minute, time to end.
const longestLinger = 30 * time.Second

func (w Workflow) checkWaits(k *checker) {
	for name, wait := range map[string]time.Duration{
		"REDLINE_WORK_LOCK": w.Lock, "REDLINE_STICKY_WAIT": w.Sticky, "REDLINE_DELIVERY_LINGER": w.Linger,
	} {
		const least = 100 * time.Millisecond
		k.atLeast(name, int(wait.Milliseconds()), int(least.Milliseconds()))
	}
	if w.Linger > longestLinger {
		k.fault("REDLINE_DELIVERY_LINGER", "must be "+longestLinger.String()+" at most")
	}
}

// checkDays wants a message and its body to be kept for longer than its deliveries
// may take by their schedule, and a mail, which is kept as long as messages are.
// Those to receivers take less than a day.
func (c *Config) checkDays(k *checker) {
	const day = 24.0 // hours
	hooks := int(scheduleHours(c.Webhook.Schedule, c.Webhook.AttemptTimeout, webhook.Variation)/day) + 1
	mails := int(scheduleHours(c.SMTP.Schedule, c.SMTP.Timeout, 0)/day) + 1
	for _, kept := range []struct {
		name        string
		days, least int
		schedule    string
	}{
		{"REDLINE_WEBHOOK_PAYLOAD_DAYS", c.Webhook.PayloadDays, hooks, "REDLINE_WEBHOOK_SCHEDULE"},
		{"REDLINE_WEBHOOK_ATTEMPT_DAYS", c.Webhook.AttemptDays, hooks, "REDLINE_WEBHOOK_SCHEDULE"},
		{"REDLINE_WEBHOOK_ATTEMPT_DAYS", c.Webhook.AttemptDays, mails, "REDLINE_MAIL_SCHEDULE"},
	} {
		if kept.days >= 1 && kept.days < kept.least {
			k.fault(kept.name, fmt.Sprintf("must be longer than all attempts of %s may take: %d at least", kept.schedule, kept.least))
		}
	}
}

// scheduleHours is how long all attempts may take with the pauses between them: every
// pause varied upwards, every attempt locked to the end, which is twice its limit.
func scheduleHours(pauses []time.Duration, limit time.Duration, variation float64) float64 {
	hours := float64(len(pauses)+1) * 2 * limit.Hours()
	for _, pause := range pauses {
		hours += pause.Hours() * (1 + variation)
	}
	return hours
}

func (c *Config) checkWords(k *checker) {
	c.Embed.check(k)
	k.oneOf("REDLINE_SMTP_SECURITY", c.SMTP.Security, "none", "starttls", "tls")
	if c.SMTP.Addr != "" {
		k.required("REDLINE_SMTP_FROM", c.SMTP.From)
	}
	if _, err := mail.ParseAddress(c.SMTP.From); c.SMTP.From != "" && err != nil {
		k.fault("REDLINE_SMTP_FROM", "must be an e-mail address, or a name with one in angle brackets")
	}
	k.pair("REDLINE_SMTP_USERNAME", c.SMTP.Username, "REDLINE_SMTP_PASSWORD", c.SMTP.Password.Reveal())
}

func (e Embed) check(k *checker) {
	k.oneOf("REDLINE_EMBEDDER", e.Provider, "local", "http", "lexical")
	if e.Provider == "http" {
		k.required("REDLINE_EMBED_URL", e.URL)
		k.endpoint("REDLINE_EMBED_", e.URL, e.Model, e.Dimensions)
	}
	if e.PreviousURL != "" {
		k.endpoint("REDLINE_EMBED_PREVIOUS_", e.PreviousURL, e.PreviousModel, e.PreviousDimensions)
	}
}

func (k *checker) required(name, value string) {
	if value == "" {
		k.fault(name, "is required")
	}
}

func (k *checker) atLeast(name string, value, least int) {
	if value < least {
		k.fault(name, "is too small")
	}
}

// url wants an absolute address; empty is a matter of required.
func (k *checker) url(name, value string) {
	u, err := url.Parse(value)
	if value != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		k.fault(name, "must be an http or https URL")
	}
}

// endpoint wants all that calling an embedding endpoint takes.
func (k *checker) endpoint(prefix, url, model string, dimensions int) {
	k.url(prefix+"URL", url)
	k.required(prefix+"MODEL", model)
	k.atLeast(prefix+"DIMENSIONS", dimensions, 1)
}

// address wants host:port; empty is a matter of required.
func (k *checker) address(name, value string) {
	if value == "" {
		return
	}
	_, port, err := net.SplitHostPort(value)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
		k.fault(name, "must be host:port, the port a number")
	}
}

func (k *checker) pair(one, oneValue, other, otherValue string) {
	if (oneValue == "") != (otherValue == "") {
		k.fault(one+" and "+other, "belong together")
	}
}

func (k *checker) oneOf(name, value string, words ...string) {
	if !slices.Contains(words, value) {
		k.fault(name, "must be one of "+strings.Join(words, ", "))
	}
}
