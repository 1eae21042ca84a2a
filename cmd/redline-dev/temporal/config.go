package temporal

import (
	"bytes"
	"os"
	"path/filepath"
	"text/template"
)

// Names of the two databases of Temporal.
const (
	MainDatabase       = "temporal"
	VisibilityDatabase = "temporal_visibility"
)

// Settings are what the configuration files need to know.
type Settings struct {
	// Dir is where the files are written.
	Dir string
	// DatabasePort and DatabasePassword reach Postgres on 127.0.0.1 as user postgres.
	DatabasePort     int
	DatabasePassword string
	// Ports are those of the server, UIPort that of the UI, all on 127.0.0.1.
	Ports  Ports
	UIPort int
	// Namespace is the one the UI shows first.
	Namespace string
}

// Ports are the TCP ports of the four services: one for calls, one for the ring that finds them.
type Ports struct {
	Frontend, FrontendRing int
	History, HistoryRing   int
	Matching, MatchingRing int
	Worker, WorkerRing     int
}

// serverConfig is one process with all services. 16 shards suit two to eight
// cores; the number can never be changed for data that is there. 30
// connections a service stay below Postgres's limit.
var serverConfig = template.Must(template.New("server").Parse(`log:
  stdout: true
  level: warn
persistence:
  defaultStore: main
  visibilityStore: visibility
  numHistoryShards: 16
  datastores:
    main:
      sql: &sql
        pluginName: postgres12_pgx
        databaseName: temporal
        connectAddr: "127.0.0.1:{{.DatabasePort}}"
        connectProtocol: tcp
        user: postgres
        password: "{{.DatabasePassword}}"
        maxConns: 30
        maxIdleConns: 30
        maxConnLifetime: 1h
    visibility:
      sql:
        <<: *sql
        databaseName: temporal_visibility
        maxConns: 10
        maxIdleConns: 10
global:
  membership:
    maxJoinDuration: 30s
    broadcastAddress: 127.0.0.1
services:
  frontend:
    rpc: {grpcPort: {{.Ports.Frontend}}, membershipPort: {{.Ports.FrontendRing}}, bindOnIP: 127.0.0.1}
  history:
    rpc: {grpcPort: {{.Ports.History}}, membershipPort: {{.Ports.HistoryRing}}, bindOnIP: 127.0.0.1}
  matching:
    rpc: {grpcPort: {{.Ports.Matching}}, membershipPort: {{.Ports.MatchingRing}}, bindOnIP: 127.0.0.1}
  worker:
    rpc: {grpcPort: {{.Ports.Worker}}, membershipPort: {{.Ports.WorkerRing}}, bindOnIP: 127.0.0.1}
clusterMetadata:
  enableGlobalNamespace: false
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation:
    active:
      enabled: true
      initialFailoverVersion: 1
      rpcName: frontend
      rpcAddress: "127.0.0.1:{{.Ports.Frontend}}"
dcRedirectionPolicy:
  policy: noop
publicClient:
  hostPort: "127.0.0.1:{{.Ports.Frontend}}"
archival:
  history: {state: disabled, enableRead: false}
  visibility: {state: disabled, enableRead: false}
namespaceDefaults:
  archival:
    history: {state: disabled}
    visibility: {state: disabled}
dynamicConfigClient:
  filepath: "{{.Dir}}/dynamic.yaml"
  pollInterval: 60s
`))

// dynamicConfig differs from the defaults where one machine needs it: a new
// namespace and its search attributes are usable soon instead of after two
// seconds, and a task queue is whole. Its usual four partitions hand tasks and polls on to one
// another until they meet, which pays where they lie on several machines. That search
// attributes be read from the database each time, as Temporal's own development images have
// it, costs ten reads a run, most of them behind one lock.
const dynamicConfig = `system.namespaceCacheRefreshInterval:
  - value: 500ms
matching.numTaskqueueReadPartitions:
  - value: 1
matching.numTaskqueueWritePartitions:
  - value: 1
`

// uiConfig is the UI on loopback, which fetches no news from elsewhere.
var uiConfig = template.Must(template.New("ui").Parse(`temporalGrpcAddress: "127.0.0.1:{{.Ports.Frontend}}"
host: 127.0.0.1
port: {{.UIPort}}
enableUi: true
defaultNamespace: {{.Namespace}}
disableNewsFetch: true
hideLogs: true
cors:
  cookieInsecure: true
  allowOrigins:
    - "http://127.0.0.1:{{.UIPort}}"
    - "http://localhost:{{.UIPort}}"
refreshInterval: 0s
`))

// WriteConfig writes the files that the server and the UI read at their start.
func WriteConfig(settings Settings) error {
	if err := os.MkdirAll(settings.Dir, 0o700); err != nil {
		return err
	}
	if err := render(serverConfig, filepath.Join(settings.Dir, "server.yaml"), settings); err != nil {
		return err
	}
	if err := render(uiConfig, filepath.Join(settings.Dir, "ui.yaml"), settings); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(settings.Dir, "dynamic.yaml"), []byte(dynamicConfig), 0o600)
}

func render(text *template.Template, path string, settings Settings) error {
	var out bytes.Buffer
	if err := text.Execute(&out, settings); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}

// ServerArgs are the arguments of the server program.
func ServerArgs(dir string) []string {
	return []string{"--config-file", filepath.Join(dir, "server.yaml"), "--allow-no-auth", "start"}
}

// UIArgs are the arguments of the UI program, which finds dir/ui.yaml by its environment's name.
func UIArgs(dir string) []string {
	return []string{"--root", dir, "--config", ".", "--env", "ui", "start"}
}
