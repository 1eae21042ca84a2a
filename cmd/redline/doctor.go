package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/redline-svc/redline/cmd/redline/backup"
	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/disposable"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/id"
	mailing "github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/health"
	knowledgestore "github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/vector"
	"github.com/redline-svc/redline/models/workspace"
	"github.com/redline-svc/redline/worker"
)

// finding is what a look at one thing found.
type finding struct {
	// Of is what was looked at, State "ok", "warning" or "fault".
	Of    string `json:"of"`
	State string `json:"state"`
	Says  string `json:"says"`
	// Do is what the operator has to do; empty when State is ok.
	Do string `json:"do,omitempty"`
}

// The states of a finding: only a fault keeps the service from what it promises.
const (
	isFine    = "ok"
	isWarning = "warning"
	isFault   = "fault"
)

// doctor looks at everything that can be misconfigured and changes nothing but a file of
// its own in the store, which it removes.
type doctor struct {
	role     config.Role
	conf     config.Config
	box      *secret.Box
	db       *models.DB
	findings []finding
}

// lookLimit is how long one look may take.
const lookLimit = 15 * time.Second

func (d *doctor) fine(of, says string, values ...any) {
	d.findings = append(d.findings, finding{Of: of, State: isFine, Says: fmt.Sprintf(says, values...)})
}

func (d *doctor) warn(of, says, do string) {
	d.findings = append(d.findings, finding{Of: of, State: isWarning, Says: says, Do: do})
}

func (d *doctor) fault(of, says, do string) {
	d.findings = append(d.findings, finding{Of: of, State: isFault, Says: says, Do: do})
}

// look looks at everything that the configuration lets it reach.
func (d *doctor) look(ctx context.Context, environ []string) []finding {
	d.fine("version", "%s, schema %d", telemetry.Version(), schema.SchemaVersion())
	if !d.readConfiguration(environ) {
		return d.findings
	}
	looks := []func(context.Context){
		d.lookAtListeners, d.lookAtProxies, d.lookAtLimits, d.lookAtTraces, d.lookAtDatabase, d.lookAtFiles, d.lookAtIndex, d.lookAtModel, d.lookAtEgress,
	}
	if d.role != config.API {
		looks = append(looks, d.lookAtTemporal, d.lookAtRelay)
	}
	for _, look := range looks {
		limited, cancel := context.WithTimeout(ctx, lookLimit)
		look(limited)
		cancel()
	}
	if d.db != nil {
		d.db.Close()
	}
	return d.findings
}

func (d *doctor) readConfiguration(environ []string) bool {
	conf, unknown, err := config.Load(d.role, environ)
	for _, name := range unknown {
		d.warn(name, "is not known and has no effect", "correct its name, or remove it; .env.example has all names")
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			name, says, _ := strings.Cut(strings.TrimSpace(line), ": ")
			d.fault(name, says, "set it right; .env.example explains it")
		}
		return false
	}
	d.conf = conf
	if d.box, err = secret.NewBox(conf.Keys.Encryption, conf.Keys.Hash); err != nil {
		d.fault("keys", err.Error(), "set REDLINE_ENCRYPTION_KEYS and REDLINE_HASH_KEYS right; no key may be in both")
		return false
	}
	d.fine("configuration", "complete for %s", d.role)
	return true
}

// expiresSoon is how long before its end a certificate is worth a warning.
const expiresSoon = 14 * 24 * time.Hour

func (d *doctor) lookAtListeners(context.Context) {
	u, err := url.Parse(d.conf.HTTP.PublicURL)
	switch {
	case err != nil:
		d.fault("public address", "cannot be read", "set REDLINE_PUBLIC_BASE_URL to the address that callers use")
	case u.Scheme != "https" && !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()):
		d.warn("public address", "REDLINE_PUBLIC_BASE_URL is plain http: signed addresses and tokens of callbacks travel in clear", "put TLS in front and name its https address")
	default:
		d.fine("public address", "%s", u.Host)
	}
	if d.conf.HTTP.TLSCertFile == "" {
		return
	}
	pair, err := tls.LoadX509KeyPair(d.conf.HTTP.TLSCertFile, d.conf.HTTP.TLSKeyFile)
	if err != nil {
		d.fault("certificate", err.Error(), "set REDLINE_TLS_CERT_FILE and REDLINE_TLS_KEY_FILE to a pair that belongs together")
		return
	}
	d.lookAtCertificate(pair.Leaf)
}

func (d *doctor) lookAtCertificate(leaf *x509.Certificate) {
	switch left := time.Until(leaf.NotAfter); {
	case left < 0:
		d.fault("certificate", "has expired on "+leaf.NotAfter.Format(time.DateOnly), "renew it and restart")
	case left < expiresSoon:
		d.warn("certificate", "expires on "+leaf.NotAfter.Format(time.DateOnly), "renew it and restart")
	default:
		d.fine("certificate", "until %s", leaf.NotAfter.Format(time.DateOnly))
	}
}

// lookAtProxies looks for a proxy that nobody has named. That there is one is seen from the address of
// callers, which begins with https while this process speaks no TLS.
func (d *doctor) lookAtProxies(context.Context) {
	if strings.HasPrefix(d.conf.HTTP.PublicURL, "https:") && d.conf.HTTP.TLSCertFile == "" && len(d.conf.HTTP.TrustedProxies) == 0 {
		d.warn("proxies", "what speaks TLS in front is not named: all callers have its address, and share the limits of one",
			"set REDLINE_TRUSTED_PROXIES to its address")
		return
	}
	d.fine("proxies", "%d named", len(d.conf.HTTP.TrustedProxies))
}

// lookAtLimits looks for limits that are switched off, without which one caller can take what all share.
func (d *doctor) lookAtLimits(context.Context) {
	r, q := d.conf.Rates, d.conf.Quotas
	var off []string
	for name, limit := range map[string]int64{
		"REDLINE_RATE_KEY_PER_MIN": int64(r.Key), "REDLINE_RATE_WORKSPACE_PER_MIN": int64(r.Workspace),
		"REDLINE_RATE_CREATE_PER_HOUR": int64(r.Create), "REDLINE_RATE_IP_PER_MIN": int64(r.IP),
		"REDLINE_QUOTA_FILES_FREE": q.FilesFree, "REDLINE_QUOTA_FILES_PAID": q.FilesPaid, "REDLINE_QUOTA_ROWS_FREE": q.RowsFree,
		"REDLINE_QUOTA_ROWS_PAID": q.RowsPaid, "REDLINE_QUOTA_MESSAGES_FREE": q.MessagesFree, "REDLINE_QUOTA_MESSAGES_PAID": q.MessagesPaid,
	} {
		if limit == 0 {
			off = append(off, name)
		}
	}
	if len(off) > 0 {
		slices.Sort(off)
		d.warn("limits", "switched off: "+strings.Join(off, ", "), "remove these unless you know every caller: the defaults hold then")
		return
	}
	d.fine("limits", "of rates and quotas are all set")
}

func (d *doctor) lookAtTraces(ctx context.Context) {
	if d.conf.Telemetry.OTLPEndpoint == "" {
		return
	}
	u, err := url.Parse(d.conf.Telemetry.OTLPEndpoint)
	if err == nil {
		var conn net.Conn
		dialer := &net.Dialer{} //nolint:forbidigo // the address is the operator's own
		if conn, err = dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), usualPorts[u.Scheme]))); err == nil {
			err = conn.Close()
		}
	}
	if err != nil {
		d.warn("traces", "REDLINE_OTLP_ENDPOINT does not answer: "+err.Error(), "see that the collector runs and that this is its address")
		return
	}
	d.fine("traces", "%s answers", u.Host)
}

// usualPorts are those of addresses that name none.
var usualPorts = map[string]string{"http": "80", "https": "443"}

func (d *doctor) lookAtDatabase(ctx context.Context) {
	db, err := models.Open(ctx, d.conf.Database.URL.Reveal(), models.PoolOptions{Conns: adminConns})
	if err == nil {
		err = db.Ping(ctx)
	}
	if err != nil {
		d.fault("postgres", databaseFault(err).Error(), "see that Postgres runs and that REDLINE_DATABASE_URL has its address, user and password")
		return
	}
	d.db = db
	server, err := health.Look(ctx, db)
	if err != nil {
		d.fault("postgres", err.Error(), "see the log of Postgres")
		return
	}
	d.judgeServer(server)
	d.lookAtTools(ctx, server.Major)
	d.lookAtSchema(ctx)
}

// oldestPostgres is the version that everything is tested with.
const oldestPostgres = 16

// clockApart is by how much the clocks of this machine and of Postgres may differ: tokens
// and signatures are refused five minutes off, and a person notices far less.
const clockApart = 5 * time.Second

func (d *doctor) judgeServer(s *health.Server) {
	if s.Major < oldestPostgres {
		d.fault("postgres", fmt.Sprintf("is version %d", s.Major), fmt.Sprintf("move to Postgres %d or newer", oldestPostgres))
	} else {
		d.fine("postgres", "version %d, %d MB", s.Major, s.Bytes>>20)
	}
	if s.Encoding != "UTF8" {
		d.fault("encoding", "of the database is "+s.Encoding, "make the database with ENCODING 'UTF8' and restore into it")
	}
	for _, setting := range s.Unsafe {
		d.fault("postgres "+setting, "is off: what was acknowledged may be lost", "set "+setting+" = on")
	}
	if apart := s.ClockAhead.Abs(); apart > clockApart {
		d.fault("clock", fmt.Sprintf("this machine and Postgres are %s apart", apart.Round(time.Second)), "have both set by the same time service (NTP)")
	} else {
		d.fine("clock", "as that of Postgres")
	}
	need := int(d.conf.Database.MaxConns + d.conf.Database.WorkerConns + entryConns)
	if need > s.Connections {
		d.fault("connections", fmt.Sprintf("one process of serve takes up to %d, Postgres has %d", need, s.Connections),
			"raise max_connections of Postgres, or lower REDLINE_DATABASE_MAX_CONNS and REDLINE_DATABASE_WORKER_CONNS")
	} else {
		d.fine("connections", "up to %d for one process of serve, of %d", need, s.Connections)
	}
}

func (d *doctor) lookAtQuotas(ctx context.Context) {
	switch full, err := health.FullWorkspaces(ctx, d.db); {
	case err != nil:
		d.fault("quotas", err.Error(), "see the log of Postgres")
	case full > 0:
		d.warn("quotas", fmt.Sprintf("%d workspaces have used one up, and are refused what would add to it", full),
			"redline admin workspace show has what one keeps: move it to the paid plan with set-plan, or raise REDLINE_QUOTA_*")
	default:
		d.fine("quotas", "no workspace has used one up")
	}
}

func (d *doctor) lookAtTools(ctx context.Context, major int) {
	if tools, err := backup.FindTools(ctx, d.conf.Database.Tools, major); err != nil {
		d.warn("pg_dump", "no backup can be made here: "+err.Error(), "install them, or make backups by Postgres' own means")
	} else {
		d.fine("pg_dump", "%s", tools.Dir())
	}
}

func (d *doctor) lookAtSchema(ctx context.Context) {
	have, err := schema.DatabaseVersion(ctx, d.db)
	switch need := schema.SchemaVersion(); {
	case errors.Is(schema.SchemaReady(ctx, d.db), schema.ErrUnserved):
		d.fault("schema", fmt.Sprintf("the database has version %d, which no longer serves this program", have), "run a newer release")
		return
	case err != nil || have < need:
		d.fault("schema", fmt.Sprintf("the database has version %d, this program needs %d", have, need), "run redline migrate")
		return
	case have > need:
		d.warn("schema", fmt.Sprintf("the database has version %d, this program knows %d", have, need), "move on to the program that migrated it")
	default:
		d.fine("schema", "version %d", have)
	}
	if err := workspace.CheckKeys(ctx, d.db, d.box); err != nil {
		d.fault("keys", err.Error(), "set REDLINE_ENCRYPTION_KEYS and REDLINE_HASH_KEYS to those of this database")
		return
	}
	used, err := workspace.NewRewrap(d.db, d.box, models.AllSealedColumns).KeyUses(ctx)
	if err != nil {
		d.fault("keys", err.Error(), "see the log of Postgres")
		return
	}
	d.judgeKeys(used)
	d.lookAtQuotas(ctx)
}

func (d *doctor) judgeKeys(used map[string]int64) {
	writing := []string{d.box.WritingKeyID(), d.box.HashKeyID()}
	known := map[string]bool{}
	for _, key := range slices.Concat(d.conf.Keys.Encryption, d.conf.Keys.Hash) {
		known[key.ID] = true
	}
	before := len(d.findings)
	for id, n := range used {
		switch {
		case n == 0 || slices.Contains(writing, id):
		case !known[id]:
			d.fault("keys", fmt.Sprintf("%d values or more are under the key %s, which is not here", n, id), "add it behind the others")
		default:
			d.warn("keys", fmt.Sprintf("%d values or more are still under the key %s", n, id), "run redline admin keys rewrap, then drop the key")
		}
	}
	if len(d.findings) == before {
		d.fine("keys", "all values are under the first ones")
	}
}

// little is how much of a disk has to be free: a tenth, and a GiB.
const little, leastShare = 1 << 30, 10

func (d *doctor) lookAtFiles(ctx context.Context) {
	where := "set REDLINE_BLOB_DIR to a folder that the service may write, or REDLINE_BLOB_S3_* to a bucket with its keys"
	files, err := blob.Open(blobOptions(d.conf.Blob))
	key := "doctor/" + id.New("probe")
	if err == nil {
		err = files.Write(ctx, key, "text/plain", strings.NewReader(key))
	}
	if err == nil {
		_, err = files.ReadAll(ctx, key)
		err = errors.Join(err, files.Delete(ctx, key))
	}
	if err != nil {
		d.fault("files", err.Error(), where)
		return
	}
	d.fine("files", "can be written, read and removed")
	var disk syscall.Statfs_t
	if d.conf.Blob.Dir == "" || syscall.Statfs(d.conf.Blob.Dir, &disk) != nil {
		return
	}
	size := uint64(disk.Bsize) //nolint:gosec // a size of blocks is above zero
	d.judgeDisk(disk.Bavail*size, disk.Blocks*size)
}

func (d *doctor) judgeDisk(free, all uint64) {
	if free < little || free < all/leastShare {
		d.warn("disk", fmt.Sprintf("%d MB of %d are free for files", free>>20, all>>20), "make room, or move REDLINE_BLOB_DIR to a larger disk")
	} else {
		d.fine("disk", "%d MB of %d are free for files", free>>20, all>>20)
	}
}

func (d *doctor) lookAtIndex(ctx context.Context) {
	index, err := openIndex(d.conf.Weaviate)
	if err == nil {
		err = index.Check(ctx)
	}
	if err != nil {
		d.fault("weaviate", err.Error(), "see that Weaviate runs and that REDLINE_WEAVIATE_ADDR, _GRPC_ADDR, _API_KEY and _TLS fit it; searches give the newest until then")
		return
	}
	d.lookAtIndexVersion(ctx, index)
	if d.db == nil {
		return
	}
	rows := knowledgestore.New(d.db)
	g, err := rows.Serving(ctx, true)
	if err != nil || g == nil {
		return // of a faulty schema, which was told of, or nothing was indexed yet
	}
	if err := d.lookForLost(ctx, index, rows, g.Suffix); err != nil {
		d.fault("index", err.Error(), "run redline admin index check --fix, or rebuild where all is gone")
	} else {
		d.fine("index", "generation %s serves", g.ID)
	}
}

// The versions that everything is tested with.
const testedTemporal, testedWeaviate = "1.32", "1.39"

func (d *doctor) lookAtIndexVersion(ctx context.Context, index *vector.Index) {
	version, err := index.Version(ctx)
	if err != nil {
		d.fault("weaviate", err.Error(), "see the log of Weaviate, and that REDLINE_WEAVIATE_API_KEY may read")
		return
	}
	d.judgeVersion("weaviate", version, testedWeaviate, "answers over HTTP and gRPC")
}

// judgeVersion warns of a server that is older than what everything is tested with; one that says
// nothing of itself is let be.
func (d *doctor) judgeVersion(of, version, tested, says string) {
	var major, minor, testedMajor, testedMinor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	if _, wrong := fmt.Sscanf(tested, "%d.%d", &testedMajor, &testedMinor); err != nil || wrong != nil {
		d.fine(of, "%s", says)
		return
	}
	if major < testedMajor || major == testedMajor && minor < testedMinor {
		d.warn(of, "is version "+version+", older than what everything is tested with", "move to "+tested+" or newer")
		return
	}
	d.fine(of, "version %s, %s", version, says)
}

// samples is how many workspaces are looked for in the index: one that lost its disk has lost all.
const samples = 20

func (d *doctor) lookForLost(ctx context.Context, index *vector.Index, rows *knowledgestore.Knowledge, suffix string) error {
	indexed, err := rows.IndexedWorkspaces(ctx)
	if err != nil {
		return err
	}
	for _, id := range indexed[:min(samples, len(indexed))] {
		for _, corpus := range vector.Corpora {
			if err := index.LostAt(ctx, vector.Partition{Suffix: suffix, Workspace: id, Corpus: corpus}, rows.Fills); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *doctor) lookAtModel(ctx context.Context) {
	e := d.conf.Embed
	models := embedders(ctx, e, slog.New(slog.DiscardHandler))
	if _, err := models.Probe(ctx); err != nil {
		d.fault("model", "texts cannot be embedded: "+err.Error(),
			"for local see REDLINE_ONNXRUNTIME_LIB, for http REDLINE_EMBED_*; ingestions wait and searches by meaning fall back until then")
		return
	}
	if d.db == nil {
		return
	}
	g, err := knowledgestore.New(d.db).Serving(ctx, true)
	if err == nil && g != nil {
		_, err = models.Verify(ctx, g.Identity, g.Probe)
	}
	switch {
	case errors.Is(err, embed.ErrModelChanged):
		d.fault("model", "is another one than that of the index", "set REDLINE_EMBED_PREVIOUS_* to the former one and run redline admin index reembed, or configure the former one again")
	case err == nil:
		d.fine("model", "%s", e.Provider)
	}
}

func (d *doctor) lookAtEgress(context.Context) {
	e := d.conf.Egress
	if _, err := guard.New(e.Guard()); err != nil {
		d.fault("egress", err.Error(), "correct REDLINE_EGRESS_*")
	} else if len(e.AllowCIDRs)+len(e.AllowHosts)+len(e.WorkflowAllowCIDRs) > 0 {
		d.warn("egress", "addresses are allowed that are usually refused", "see that REDLINE_EGRESS_ALLOW_* and REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS name no more than is needed")
	} else {
		d.fine("egress", "no inner address is allowed")
	}
	if _, err := disposable.New(d.conf.Quotas.DisposableExtraFile, d.conf.Quotas.DisposableAllowFile); err != nil {
		d.fault("disposable domains", err.Error(), "correct REDLINE_DISPOSABLE_EXTRA_FILE and REDLINE_DISPOSABLE_ALLOW_FILE")
	}
}

func (d *doctor) lookAtTemporal(ctx context.Context) {
	c := d.conf.Temporal
	secure, err := temporalTLS(c)
	var seen worker.Seen
	if err == nil {
		seen, err = worker.Look(ctx, worker.Options{Address: c.Addr, Namespace: c.Namespace, TLS: secure, Log: slog.New(slog.DiscardHandler)})
	}
	if err != nil {
		d.fault("temporal", err.Error(), "see that Temporal runs and that REDLINE_TEMPORAL_ADDR, _NAMESPACE and _TLS_* fit it; all work waits until then")
		return
	}
	d.judgeVersion("temporal", seen.Version, testedTemporal, "answers")
	d.judgeNamespace(c.Namespace, seen)
}

func (d *doctor) judgeNamespace(name string, seen worker.Seen) {
	switch {
	case len(seen.Mistyped) > 0:
		d.fault("namespace", name+" has search attributes of another type than Keyword: "+strings.Join(seen.Mistyped, ", "),
			"make a namespace where they are Keyword and name it in REDLINE_TEMPORAL_NAMESPACE, then run redline admin temporal resync; all work waits until then")
	case len(seen.Missing) > 0:
		d.warn("namespace", name+" lacks: "+strings.Join(seen.Missing, ", "),
			"the first worker makes them where it may; in Temporal Cloud make them yourself, the search attributes as Keyword")
	default:
		d.fine("namespace", "%s has all search attributes", name)
	}
}

func (d *doctor) lookAtRelay(ctx context.Context) {
	relay, err := operatorsRelay(d.conf.SMTP)
	if err == nil && relay == nil {
		d.warn("relay", "none is configured: no mail leaves of workspaces without a host of their own", "set REDLINE_SMTP_* if mails are wanted")
		return
	}
	var dialer *guard.Guard
	if err == nil {
		dialer, err = guard.New(d.conf.Egress.Guard())
	}
	if err == nil {
		err = mailing.NewClient(dialer, ownName(d.conf.HTTP.PublicURL)).Reach(ctx, relay.Host)
	}
	if err != nil {
		d.fault("relay", err.Error()+": "+causeOf(err), "see REDLINE_SMTP_ADDR, _SECURITY, _USERNAME and _PASSWORD, and what the relay says")
		return
	}
	d.fine("relay", "takes the login")
}

// causeOf is what is behind an error, whose own text names only its class.
func causeOf(err error) string {
	if cause := errors.Unwrap(err); cause != nil {
		return cause.Error()
	}
	return "no more is known"
}
