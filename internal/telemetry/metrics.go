package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the numbers of one process. Make one with NewMetrics; it is safe
// for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	requests       *prometheus.CounterVec
	requestSeconds *prometheus.HistogramVec
	inFlight       prometheus.Gauge
	authFailures   *prometheus.CounterVec
	rateLimited    *prometheus.CounterVec
	dependencyUp   *prometheus.GaugeVec

	// WebhookMessages counts, by event type, what was sent for the first time to
	// an endpoint or a receiver.
	WebhookMessages *prometheus.CounterVec
	// WebhookAttempts counts attempts by the class of their outcome.
	WebhookAttempts *prometheus.CounterVec
	// WebhookAttemptSeconds is how long attempts took.
	WebhookAttemptSeconds prometheus.Histogram
	// FirstAttemptLag is the time from a message's commit to its first attempt, in seconds.
	FirstAttemptLag prometheus.Histogram
	// EndpointsDisabled counts endpoints that the service disabled, by reason.
	EndpointsDisabled *prometheus.CounterVec
	// OverdueFound counts what nobody drove and was set going again, by kind.
	OverdueFound *prometheus.CounterVec
	// ActivitiesFailing shows by name how many activities of Temporal are at their
	// fourth or a later try in this process.
	ActivitiesFailing *prometheus.GaugeVec
	// ExpiredLocks counts rows of the queue and deliveries that were claimed again because their lock had
	// run out, by kind.
	ExpiredLocks *prometheus.CounterVec
	// JobsEnded counts jobs that have ended, by kind and state: completed or failed.
	JobsEnded *prometheus.CounterVec
	// NotificationsDropped counts users who want to be told of every comment and were not told
	// of one because its change would have told too many.
	NotificationsDropped prometheus.Counter
	// SuggestMargin is by how much likeness the advice of a scope is above what is expected by
	// chance or, below 0, under it: a model that does not fit the content keeps near 0.
	SuggestMargin prometheus.Histogram
	// EgressRefused counts refused addresses by the rule that refused them.
	EgressRefused *prometheus.CounterVec
	// EmailSends counts tries of mails by their template and what came of them.
	EmailSends *prometheus.CounterVec
	// QueueRows and QueueOldest show by kind what is committed and pending for
	// Temporal: how many rows, up to 10,000, and the oldest one's age in seconds.
	QueueRows, QueueOldest *prometheus.GaugeVec
	// WebhookPending, WebhookOldestPending and WebhookThrottled are open
	// deliveries, up to 10,000, the age in seconds of the oldest one due, and throttled origins.
	WebhookPending, WebhookOldestPending, WebhookThrottled prometheus.Gauge
	// SecretRows counts sealed values by the key that opens them, up to 10,000 of each
	// column.
	SecretRows *prometheus.GaugeVec
	// WorkspaceBytesMax is the most that any workspace keeps, by kind.
	WorkspaceBytesMax *prometheus.GaugeVec
	// QuerySeconds is how long statements took, by their name.
	QuerySeconds *prometheus.HistogramVec
}

// fast are histogram bounds in seconds for what should take milliseconds.
var fast = []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30}

// margins are histogram bounds for differences of likeness.
var margins = []float64{-.5, -.2, -.1, -.05, -.02, 0, .02, .05, .1, .2, .5}

// NewMetrics makes the metrics of this process, the Go runtime's among them.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	auto := factory{promauto.With(m.registry)}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.requests = auto.counter("redline_http_requests_total", "Requests by operation and status word.", "operation", "status")
	m.requestSeconds = auto.histogram("redline_http_request_seconds", "Time to answer.", "operation")
	m.inFlight = auto.plainGauge("redline_http_in_flight", "Requests under way.")
	m.authFailures = auto.counter("redline_auth_failures_total", "Refused credentials.", "level")
	m.rateLimited = auto.counter("redline_rate_limited_total", "Calls over a limit.", "limit")
	m.dependencyUp = auto.gauge("redline_dependency_up", "1 while a part that this process uses answers.", "name")
	m.WebhookMessages = auto.counter("redline_webhook_messages_total", "Messages and events, each counted at its first attempt at an address.", "event")
	m.WebhookAttempts = auto.counter("redline_webhook_attempts_total", "Delivery attempts by outcome.", "class")
	m.WebhookAttemptSeconds = auto.plainHistogram("redline_webhook_attempt_seconds", "Time of one attempt.")
	m.FirstAttemptLag = auto.plainHistogram("redline_webhook_first_attempt_lag_seconds", "From commit to first attempt.")
	m.EndpointsDisabled = auto.counter("redline_webhook_endpoints_disabled_total", "Endpoints that the service disabled.", "reason")
	m.ExpiredLocks = auto.counter("redline_queue_expired_locks_total", "Work claimed again because its lock ran out.", "kind")
	m.OverdueFound = auto.counter("redline_overdue_found_total", "Work that nobody drove and that was set going again.", "kind")
	m.ActivitiesFailing = auto.gauge("redline_activities_failing", "Activities of Temporal that keep failing: at their fourth or a later try.", "activity")
	m.JobsEnded = auto.counter("redline_jobs_ended_total", "Jobs that ended, by kind and state.", "kind", "state")
	m.NotificationsDropped = auto.plainCounter("redline_notifications_dropped_total", "Users not told of a comment because its change would have told too many.")
	m.EmailSends = auto.counter("redline_email_sends_total", "Mails handed over, by template and result.", "template", "result")
	m.EgressRefused = auto.counter("redline_egress_refused_total", "Addresses refused when they were written or called.", "rule")
	m.SuggestMargin = auto.NewHistogram(prometheus.HistogramOpts{
		Name: "redline_suggest_margin", Help: "Likeness of the second nearest judgment less what is expected by chance.", Buckets: margins,
	})
	m.QueueRows = auto.gauge("redline_queue_rows", "Rows that wait for Temporal or the index, counted up to 10000.", "kind")
	m.QueueOldest = auto.gauge("redline_queue_oldest_seconds", "Age of the oldest row that waits for Temporal or the index.", "kind")
	m.WebhookPending = auto.plainGauge("redline_webhook_pending", "Deliveries that are not at their end, counted up to 10000.")
	m.WebhookOldestPending = auto.plainGauge("redline_webhook_oldest_pending_seconds", "Age of the oldest delivery due, throttled origins apart.")
	m.WebhookThrottled = auto.plainGauge("redline_webhook_throttled_origins", "Origins that keep failing and are tried gently by this process.")
	m.SecretRows = auto.gauge("redline_secret_rows", "Sealed values by key, those of each column counted up to 10000.", "key_id")
	m.WorkspaceBytesMax = auto.gauge("redline_workspace_bytes_max", "The most that any workspace keeps: of files, of rows, of the bodies of a day's messages.", "kind")
	m.QuerySeconds = auto.histogram("redline_db_query_seconds", "Time of statements.", "query")
	build := auto.gauge("redline_build_info", "The version of this process.", "version")
	build.WithLabelValues(Version()).Set(1)
	return m
}

// Register adds a collector, such as one of numbers read from rows.
func (m *Metrics) Register(c prometheus.Collector) error { return m.registry.Register(c) }

// PoolInUse shows how many connections to Postgres are lent out, as read counts them.
func PoolInUse(read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "redline_db_pool_in_use", Help: "Connections to Postgres in use."}, read)
}

// Describe sends what all metrics are, as a collector does.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) { m.registry.Describe(to) }

// Handler serves the metrics in Prometheus's text form.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// AuthFailure counts credentials that were refused at a level.
func (m *Metrics) AuthFailure(level string) { m.authFailures.WithLabelValues(level).Inc() }

// RateLimited counts a call that was over a limit.
func (m *Metrics) RateLimited(name string) { m.rateLimited.WithLabelValues(name).Inc() }

// Dependency notes whether a part that this process uses answers.
func (m *Metrics) Dependency(name string, up bool) {
	value := 0.0
	if up {
		value = 1
	}
	m.dependencyUp.WithLabelValues(name).Set(value)
}

// Operation meters one operation's calls.
type Operation struct {
	metrics *Metrics
	name    string
	seconds prometheus.Observer
}

// Operation returns the meter of an operation, named by its path's pattern.
func (m *Metrics) Operation(name string) *Operation {
	return &Operation{metrics: m, name: name, seconds: m.requestSeconds.WithLabelValues(name)}
}

// Begin starts a call; the function it gives ends it with a status word.
func (o *Operation) Begin() func(status string) {
	o.metrics.inFlight.Inc()
	started := time.Now()
	return func(status string) {
		o.metrics.inFlight.Dec()
		o.seconds.Observe(time.Since(started).Seconds())
		o.metrics.requests.WithLabelValues(o.name, status).Inc()
	}
}

// factory makes metrics that are registered at once.
type factory struct{ promauto.Factory }

func (f factory) counter(name, help string, labels ...string) *prometheus.CounterVec {
	return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (f factory) plainCounter(name, help string) prometheus.Counter {
	return f.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func (f factory) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return f.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func (f factory) plainGauge(name, help string) prometheus.Gauge {
	return f.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

func (f factory) histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return f.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: fast}, labels)
}

func (f factory) plainHistogram(name, help string) prometheus.Histogram {
	return f.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: fast})
}
