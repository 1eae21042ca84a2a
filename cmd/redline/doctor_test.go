package main

import (
	"context"
	"crypto/x509"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	servers "github.com/redline-svc/redline/cmd/redline-dev/parts"
	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/health"
	"github.com/redline-svc/redline/worker"
)

// sound is a server of which nothing is wrong.
func sound() *health.Server {
	return &health.Server{Major: oldestPostgres, Encoding: "UTF8", Connections: 100}
}

// What the doctor says of each thing follows from what it sees, and whatever is not in order has
// something to do.
func TestTheDoctorJudgesWhatItSees(t *testing.T) {
	t.Parallel()
	certificate := func(left time.Duration) *x509.Certificate { return &x509.Certificate{NotAfter: time.Now().Add(left)} }
	server := func(change func(*health.Server)) func(*doctor) {
		return func(d *doctor) { s := sound(); change(s); d.judgeServer(s) }
	}
	for name, c := range map[string]struct {
		look            func(*doctor)
		of, state, says string
	}{
		"a sound server":        {server(func(*health.Server) {}), "postgres", isFine, "version 16"},
		"an old server":         {server(func(s *health.Server) { s.Major = 15 }), "postgres", isFault, "is version 15"},
		"an encoding":           {server(func(s *health.Server) { s.Encoding = "SQL_ASCII" }), "encoding", isFault, "SQL_ASCII"},
		"fsync off":             {server(func(s *health.Server) { s.Unsafe = []string{"fsync"} }), "postgres fsync", isFault, "may be lost"},
		"a clock ahead":         {server(func(s *health.Server) { s.ClockAhead = time.Minute }), "clock", isFault, "1m0s apart"},
		"a clock behind":        {server(func(s *health.Server) { s.ClockAhead = -time.Minute }), "clock", isFault, "1m0s apart"},
		"a clock":               {server(func(s *health.Server) { s.ClockAhead = time.Second }), "clock", isFine, ""},
		"few connections":       {server(func(s *health.Server) { s.Connections = 34 }), "connections", isFault, "takes up to 35"},
		"connections":           {server(func(s *health.Server) { s.Connections = 35 }), "connections", isFine, ""},
		"a full disk":           {func(d *doctor) { d.judgeDisk(1<<29, 1<<31) }, "disk", isWarning, "512 MB of 2048"},
		"a tenth of a disk":     {func(d *doctor) { d.judgeDisk(20<<30, 1<<40) }, "disk", isWarning, ""},
		"a disk":                {func(d *doctor) { d.judgeDisk(200<<30, 1<<40) }, "disk", isFine, ""},
		"an expired one":        {func(d *doctor) { d.lookAtCertificate(certificate(-time.Hour)) }, "certificate", isFault, "has expired"},
		"one that soon expires": {func(d *doctor) { d.lookAtCertificate(certificate(time.Hour)) }, "certificate", isWarning, "expires on"},
		"a certificate":         {func(d *doctor) { d.lookAtCertificate(certificate(1000 * time.Hour)) }, "certificate", isFine, "until"},
		"a key that is gone":    {func(d *doctor) { d.judgeKeys(map[string]int64{"e1": 1, "e0": 2}) }, "keys", isFault, "under the key e0, which is not here"},
		"a key of before":       {func(d *doctor) { d.judgeKeys(map[string]int64{"e1": 1, "e2": 2}) }, "keys", isWarning, "still under the key e2"},
		"keys":                  {func(d *doctor) { d.judgeKeys(map[string]int64{"e1": 1, "h1": 2, "e0": 0}) }, "keys", isFine, ""},
		"an old Temporal":       {func(d *doctor) { d.judgeVersion("temporal", "1.31.9", testedTemporal, "answers") }, "temporal", isWarning, "1.31.9"},
		"a later Temporal":      {func(d *doctor) { d.judgeVersion("temporal", "2.0.0", testedTemporal, "answers") }, "temporal", isFine, "2.0.0, answers"},
		"a Temporal":            {func(d *doctor) { d.judgeVersion("temporal", "1.32.0-142", testedTemporal, "answers") }, "temporal", isFine, ""},
		"one that says nothing": {func(d *doctor) { d.judgeVersion("temporal", "", testedTemporal, "answers") }, "temporal", isFine, "answers"},
		"no namespace":          {func(d *doctor) { d.judgeNamespace("svc", worker.Seen{Missing: []string{"namespace"}}) }, "namespace", isWarning, "svc lacks: namespace"},
		"attributes as text":    {func(d *doctor) { d.judgeNamespace("svc", worker.Seen{Mistyped: []string{"RedlineKind"}}) }, "namespace", isFault, "RedlineKind"},
		"a namespace":           {func(d *doctor) { d.judgeNamespace("svc", worker.Seen{}) }, "namespace", isFine, ""},
	} {
		found := judged(t, c.look)
		require.Equal(t, c.state, found[c.of].State, "%s: %+v", name, found)
		require.Contains(t, found[c.of].Says, c.says, name)
	}
}

// judged is what a doctor with usual settings says, by what it is of.
func judged(t *testing.T, look func(*doctor)) map[string]finding {
	t.Helper()
	keys := config.Keys{Encryption: config.KeyList{secret.NewKey("e1"), secret.NewKey("e2")}, Hash: config.KeyList{secret.NewKey("h1")}}
	box, err := secret.NewBox(keys.Encryption, keys.Hash)
	require.NoError(t, err)
	d := &doctor{role: config.Serve, box: box}
	d.conf.Keys = keys
	d.conf.Database.MaxConns, d.conf.Database.WorkerConns = 20, 12
	look(d)
	found := map[string]finding{}
	for _, f := range d.findings {
		require.Equal(t, f.State == isFine, f.Do == "", "%+v", f)
		found[f.Of] = f
	}
	return found
}

func TestTheDoctorMissesLimits(t *testing.T) {
	t.Parallel()
	require.Equal(t, isFine, looked(t, nil, (*doctor).lookAtLimits)["limits"].State)
	off := looked(t, []string{"REDLINE_RATE_IP_PER_MIN=0", "REDLINE_QUOTA_FILES_FREE=0"}, (*doctor).lookAtLimits)["limits"]
	require.Equal(t, isWarning, off.State)
	require.Equal(t, "switched off: REDLINE_QUOTA_FILES_FREE, REDLINE_RATE_IP_PER_MIN", off.Says)
}

// An address of callers behind TLS that this process does not speak has a proxy, which is to be named.
func TestTheDoctorMissesAProxy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings []string
		state    string
	}{
		"nobody is named": {[]string{"REDLINE_PUBLIC_BASE_URL=https://redline.test"}, isWarning},
		"one is":          {[]string{"REDLINE_PUBLIC_BASE_URL=https://redline.test", "REDLINE_TRUSTED_PROXIES=10.0.0.1/32"}, isFine},
		"none is there":   {[]string{"REDLINE_PUBLIC_BASE_URL=http://127.0.0.1:8080"}, isFine},
	} {
		found := looked(t, c.settings, (*doctor).lookAtProxies)
		require.Equal(t, c.state, found["proxies"].State, "%s: %+v", name, found)
	}
}

func TestTheDoctorLooksForWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	collector, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, collector.Close()) }()
	for name, c := range map[string]struct {
		setting   string
		look      func(*doctor, context.Context)
		of, state string
	}{
		"a collector":     {"REDLINE_OTLP_ENDPOINT=http://" + collector.Addr().String(), (*doctor).lookAtTraces, "traces", isFine},
		"no collector":    {"REDLINE_OTLP_ENDPOINT=http://127.0.0.1:1", (*doctor).lookAtTraces, "traces", isWarning},
		"no relay":        {"REDLINE_SMTP_ADDR=127.0.0.1:1", (*doctor).lookAtRelay, "relay", isFault},
		"a silent engine": {"REDLINE_TEMPORAL_ADDR=127.0.0.1:1", (*doctor).lookAtTemporal, "temporal", isFault},
	} {
		found := looked(t, []string{c.setting, "REDLINE_SMTP_FROM=redline@redline.test"}, c.look)
		require.Equal(t, c.state, found[c.of].State, "%s: %+v", name, found)
	}
	require.Equal(t, isWarning, looked(t, nil, (*doctor).lookAtRelay)["relay"].State, "none is configured")
}

// looked is what one look finds with further settings.
func looked(t *testing.T, settings []string, look func(*doctor, context.Context)) map[string]finding {
	t.Helper()
	conf, _, err := config.Load(config.Serve, append([]string{
		"REDLINE_PUBLIC_BASE_URL=http://127.0.0.1:8080", "REDLINE_DATABASE_URL=postgres://u@127.0.0.1:1/d", "REDLINE_TEMPORAL_ADDR=127.0.0.1:1",
		"REDLINE_WEAVIATE_ADDR=127.0.0.1:1", "REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:1", "REDLINE_BLOB_DIR=/nowhere",
		"REDLINE_ENCRYPTION_KEYS=" + keyA, "REDLINE_HASH_KEYS=" + keyB,
	}, settings...))
	require.NoError(t, err)
	return judged(t, func(d *doctor) {
		d.conf = conf
		look(d, t.Context())
	})
}

// The versions that are asked for are those that the tests run with.
func TestTheDoctorKnowsTheTestedVersions(t *testing.T) {
	t.Parallel()
	require.True(t, strings.HasPrefix(servers.TemporalServer.Version, "v"+testedTemporal+"."), servers.TemporalServer.Version)
	require.True(t, strings.HasPrefix(servers.Weaviate.Version, "v"+testedWeaviate+"."), servers.Weaviate.Version)
}
