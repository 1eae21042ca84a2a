package deploy_test

import (
	"bufio"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/redline-svc/redline/cmd/redline-dev/parts"
	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/cmd/redline-dev/temporal"
	"github.com/redline-svc/redline/cmd/redline-dev/weaviate"
	"github.com/redline-svc/redline/internal/config"
)

// service is what is read of a service in the compose file.
type service struct {
	Image       string
	Command     []string
	Entrypoint  []string
	Environment map[string]string
	EnvFile     []string `yaml:"env_file"`
	Ports       []string
	Expose      []string
	Volumes     []string
	Networks    []string
	Profiles    []string
	MemLimit    string                                `yaml:"mem_limit"`
	SecurityOpt []string                              `yaml:"security_opt"`
	CapDrop     []string                              `yaml:"cap_drop"`
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck struct{ Test []string }
}

// network is what is read of a network in the compose file.
type network struct{ Internal bool }

func compose(t *testing.T) map[string]service {
	t.Helper()
	services, _ := composeWithNetworks(t)
	return services
}

func composeWithNetworks(t *testing.T) (map[string]service, map[string]network) {
	t.Helper()
	text, err := os.ReadFile("../docker-compose.yml")
	require.NoError(t, err)
	var file struct {
		Services map[string]service
		Networks map[string]network
		Volumes  map[string]any
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	for name, s := range file.Services {
		for other := range s.DependsOn {
			require.Contains(t, file.Services, other, "%s depends on it", name)
		}
		for _, volume := range s.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if strings.HasPrefix(source, "./") {
				require.DirExists(t, "../"+source)
			} else {
				require.Contains(t, file.Volumes, source)
			}
		}
		require.NotEmpty(t, s.Networks, name)
		for _, on := range s.Networks {
			require.Contains(t, file.Networks, on, name)
		}
	}
	return file.Services, file.Networks
}

// reference is a variable in the compose file: its name and what follows it.
var reference = regexp.MustCompile(`\$\{(\w+)(?::[-?]([^}]*))?\}`)

// filled replaces the references as compose would, from the given values and else by the default.
func filled(text string, values map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		parts := reference.FindStringSubmatch(found)
		if value := values[parts[1]]; value != "" {
			return value
		}
		return parts[2]
	})
}

func anyKey() string { return "k1:" + base64.StdEncoding.EncodeToString(make([]byte, 32)) }

func TestTheServiceStartsWithTheComposeFilesVariables(t *testing.T) {
	services := compose(t)
	for name, role := range map[string]config.Role{"api": config.API, "worker": config.Worker, "migrate": config.Migrate} {
		require.Equal(t, []string{string(role)}, services[name].Command)
		environ := slices.DeleteFunc(environment(services[name]), func(pair string) bool { return strings.HasPrefix(pair, "GOMEMLIMIT=") })
		_, unknown, err := config.Load(role, environ)
		require.NoError(t, err)
		require.Empty(t, unknown)
	}
}

// What somebody sets in .env reaches the service, whatever it is.
func TestTheServiceGetsAllOfTheEnvFile(t *testing.T) {
	for _, name := range []string{"api", "worker"} {
		require.Equal(t, []string{".env"}, compose(t)[name].EnvFile)
	}
}

// On a server with a public address nothing but what is meant to can be reached: what is
// published is so on this machine alone, and what has no login stands on networks of its
// own without a way out.
func TestNothingIsReachedFromOutside(t *testing.T) {
	services, networks := composeWithNetworks(t)
	for name, s := range services {
		for _, port := range s.Ports {
			require.True(t, strings.HasPrefix(port, "127.0.0.1:"), "%s publishes %s", name, port)
		}
	}
	for name, others := range map[string][]string{
		"postgres": {"admin", "api", "migrate", "temporal", "temporal-schema", "worker"},
		"weaviate": {"admin", "api", "worker"}, "temporal": {"admin", "postgres", "temporal-schema", "temporal-ui", "worker"},
	} {
		require.Empty(t, services[name].Ports)
		for _, on := range services[name].Networks {
			require.True(t, networks[on].Internal, "%s stands on %s", name, on)
		}
		for other, s := range services {
			shared := slices.ContainsFunc(s.Networks, func(on string) bool { return slices.Contains(services[name].Networks, on) })
			require.True(t, other == name || !shared || slices.Contains(others, other), "%s reaches %s", other, name)
		}
	}
}

// No secret has a default, and no mail leaves in clear unless somebody said so.
func TestNoDefaultIsUnsafe(t *testing.T) {
	text := strings.Join(lines(t, "../docker-compose.yml"), "\n")
	for _, secret := range []string{"POSTGRES_PASSWORD", "REDLINE_ENCRYPTION_KEYS", "REDLINE_HASH_KEYS"} {
		for _, use := range regexp.MustCompile(`\$\{`+secret+`[^}]*\}`).FindAllString(text, -1) {
			require.True(t, strings.HasPrefix(use, "${"+secret+":?"), use)
		}
	}
	services := compose(t)
	require.Equal(t, []string{"mails"}, services["mails"].Profiles)
	for _, name := range []string{"api", "worker"} {
		s := services[name]
		for setting := range s.Environment {
			require.NotContains(t, setting, "SMTP", "as .env and the program have it")
		}
		require.Equal(t, []string{"ALL"}, s.CapDrop)
		require.Contains(t, s.SecurityOpt, "no-new-privileges:true")
	}
	settings, _, err := config.Load(config.Worker, environment(services["worker"]))
	require.NoError(t, err)
	require.Empty(t, settings.SMTP.Addr)
	require.Equal(t, "starttls", settings.SMTP.Security)
}

// Each part has a limit of memory, and those in Go know of it.
func TestEveryPartHasALimitOfMemory(t *testing.T) {
	services := compose(t)
	for name, s := range services {
		require.Regexp(t, `^\d+[mg]$`, s.MemLimit, name)
	}
	for _, name := range []string{"api", "worker", "temporal", "weaviate"} {
		soft, err := strconv.Atoi(strings.TrimSuffix(services[name].Environment["GOMEMLIMIT"], "MiB"))
		require.NoError(t, err, name)
		hard, err := strconv.Atoi(services[name].MemLimit[:len(services[name].MemLimit)-1])
		require.NoError(t, err, name)
		if strings.HasSuffix(services[name].MemLimit, "g") {
			hard *= 1024
		}
		require.Less(t, soft, hard, name)
	}
}

// environment is what compose gives a service, with secrets made up.
func environment(s service) []string {
	environ := []string{}
	for key, value := range s.Environment {
		environ = append(environ, key+"="+filled(value, map[string]string{
			"REDLINE_ENCRYPTION_KEYS": anyKey(), "REDLINE_HASH_KEYS": anyKey(), "POSTGRES_PASSWORD": "made-up",
		}))
	}
	return environ
}

func TestAddressesMatchTheParts(t *testing.T) {
	services := compose(t)
	service := services["worker"]
	settings, _, err := config.Load(config.Worker, environment(service))
	require.NoError(t, err)

	require.Contains(t, services["temporal"].Expose, after(t, settings.Temporal.Addr, "temporal:"))
	require.Contains(t, services["weaviate"].Expose, after(t, settings.Weaviate.Addr, "weaviate:"))
	require.Contains(t, services["weaviate"].Expose, after(t, settings.Weaviate.GRPCAddr, "weaviate:"))
	require.Equal(t, settings.Temporal.Addr, services["temporal-ui"].Environment["TEMPORAL_ADDRESS"])
	require.Equal(t, settings.Temporal.Namespace, services["temporal-ui"].Environment["TEMPORAL_DEFAULT_NAMESPACE"])
	require.Contains(t, services["api"].Ports, "127.0.0.1:8080"+settings.HTTP.Addr)
	require.Contains(t, services["api"].Ports, "127.0.0.1:8081"+settings.HTTP.OpsAddr)
	require.Contains(t, service.Ports, "127.0.0.1:8082"+settings.HTTP.OpsAddr)
	require.Contains(t, service.Volumes, "blobs:"+settings.Blob.Dir)
	require.Contains(t, settings.Database.URL.Reveal(), "@postgres:5432/"+services["postgres"].Environment["POSTGRES_DB"])
}

func after(t *testing.T, address, prefix string) string {
	t.Helper()
	require.True(t, strings.HasPrefix(address, prefix), address)
	return strings.TrimPrefix(address, prefix)
}

func TestVersionsAreThoseOfTheDevelopmentStack(t *testing.T) {
	services := compose(t)
	postgres := strings.TrimSuffix(pglocal.Version, ".0")
	for name, want := range map[string]string{
		"postgres": postgres, "temporal": parts.TemporalServer.Version, "temporal-schema": parts.TemporalSQL.Version,
		"temporal-ui": parts.TemporalUI.Version, "weaviate": parts.Weaviate.Version,
	} {
		require.Equal(t, strings.TrimPrefix(want, "v"), services[name].Image[strings.LastIndex(services[name].Image, ":")+1:], name)
		delete(services, name)
	}
	// The program has its own relay for mails; what is built here has no version.
	require.Regexp(t, `^axllent/mailpit:v\d+\.\d+\.\d+$`, services["mails"].Image)
	delete(services, "mails")
	require.Equal(t, "redline-admin", services["admin"].Image)
	require.Contains(t, lines(t, "Dockerfile"), "FROM postgres:"+postgres+" AS admin", "whose tools are of the server's version")
	delete(services, "admin")
	for name, s := range services {
		require.Equal(t, "redline", s.Image, name)
	}
}

// The image is built with the Go of the module, carries the runtime library of
// the program's own choice, and starts what the compose file expects.
func TestTheImageIsBuiltWithWhatTheProgramNames(t *testing.T) {
	image := strings.Join(lines(t, "Dockerfile"), "\n")
	module := strings.Join(lines(t, "../go.mod"), "\n")
	needed := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)
	require.Contains(t, image, "FROM golang:"+needed[1]+"-")
	tags := regexp.MustCompile(`(?m)^TAGS := (\S+)$`).FindStringSubmatch(strings.Join(lines(t, "../Makefile"), "\n"))
	require.Contains(t, image, "go build "+tags[1]+" ", "as every other build")
	finder := strings.Join(lines(t, "../internal/embed/ortlib/ortlib.go"), "\n")
	carrier := regexp.MustCompile(`(?s)moduleBase += "([^"]+)".*moduleVersion = "([^"]+)"`).FindStringSubmatch(finder)
	require.Equal(t, 2, strings.Count(image, carrier[1]+"linux@"+carrier[2]), "fetched, and copied from")

	service := compose(t)["api"]
	for _, port := range service.Ports {
		require.Regexp(t, `(?m)^EXPOSE .*\b`+port[strings.LastIndex(port, ":")+1:]+`\b`, image)
	}
	require.NotContains(t, image, "redline-dev", "the image has the service alone")
	require.Contains(t, image, "VOLUME "+service.Environment["REDLINE_BLOB_DIR"])
	library := regexp.MustCompile(`ENV (REDLINE_\w+)=`).FindStringSubmatch(image)
	require.Contains(t, config.Names(), library[1])
}

// stage is a stage of the Dockerfile: what it is made from, and its lines.
type stage struct {
	from  string
	lines []string
}

// stages reads the Dockerfile; the last stage has no name of its own.
func stages(t *testing.T) map[string]stage {
	t.Helper()
	found, name := map[string]stage{}, ""
	for _, line := range lines(t, "Dockerfile") {
		if from, begins := strings.CutPrefix(line, "FROM "); begins {
			image, called, _ := strings.Cut(from, " AS ")
			name = called
			found[name] = stage{from: image}
			continue
		}
		if s, is := found[name]; is && line != "" && !strings.HasPrefix(line, "#") {
			s.lines = append(s.lines, line)
			found[name] = s
		}
	}
	return found
}

// Each role has an image that starts it, and nobody in it is root.
func TestEachRoleHasAnImage(t *testing.T) {
	all := stages(t)
	program := `ENTRYPOINT ["/usr/local/bin/redline"]`
	require.Contains(t, all["service"].lines, program)
	require.True(t, strings.HasSuffix(all["service"].from, ":nonroot"))
	for name, role := range map[string]config.Role{"api": config.API, "worker": config.Worker, "": config.Serve} {
		require.Equal(t, stage{"service", []string{`CMD ["` + string(role) + `"]`}}, all[name], name)
		_, _, err := config.Load(role, environment(compose(t)["worker"]))
		require.NoError(t, err, "a command of the program")
	}
	require.Equal(t, "api", all["console"].from)
	require.Contains(t, all["admin"].lines, `ENTRYPOINT ["/usr/local/bin/redline", "admin"]`)
	require.Contains(t, all["admin"].lines, "USER 65532:65532")
	for _, volume := range compose(t)["admin"].Volumes {
		_, folder, _ := strings.Cut(volume, ":")
		require.Regexp(t, `(?m)^RUN mkdir .*chown 65532:65532.* `+folder+`( |$)`, strings.Join(all["admin"].lines, "\n"), "a restore on a new machine mounts it first")
	}

	pages := regexp.MustCompile(`(?m)^ENV (REDLINE_\w+)=(\S+)$`).FindStringSubmatch(strings.Join(all["console"].lines, "\n"))
	settings, unknown, err := config.Load(config.API, append(environment(compose(t)["api"]), pages[1]+"="+pages[2]))
	require.NoError(t, err)
	require.Empty(t, unknown)
	require.Equal(t, pages[2], settings.Console.Addr)
	require.Contains(t, all["console"].lines, "EXPOSE "+strings.TrimPrefix(pages[2], ":"))
}

// engine reads a configuration of Temporal; what a template fills in is blank.
func engine(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	plain := regexp.MustCompile(`\{\{[^}]*\}\}`).ReplaceAllString(string(text), "blank")
	found := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(plain), &found))
	return found
}

// flat is the leaves of a configuration by their paths.
func flat(prefix string, of any, into map[string]any) map[string]any {
	if fields, ok := of.(map[string]any); ok {
		for name, value := range fields {
			flat(prefix+"."+name, value, into)
		}
		return into
	}
	into[prefix] = of
	return into
}

func TestTemporalIsToldTheSameAsInDevelopment(t *testing.T) {
	dir := t.TempDir()
	ports := temporal.Ports{Frontend: 7233, FrontendRing: 6933, History: 7234, HistoryRing: 6934, Matching: 7235, MatchingRing: 6935, Worker: 7239, WorkerRing: 6939}
	require.NoError(t, temporal.WriteConfig(temporal.Settings{Dir: dir, DatabasePort: 5432, Ports: ports}))
	local := flat("", engine(t, filepath.Join(dir, "server.yaml")), map[string]any{})
	deployed := flat("", engine(t, "temporal/server.yaml"), map[string]any{})

	// Reached from other containers, and with a database of another name and user.
	require.Equal(t, "0.0.0.0", deployed[".services.frontend.rpc.bindOnIP"])
	delete(deployed, ".services.frontend.rpc.bindOnIP")
	delete(local, ".services.frontend.rpc.bindOnIP")
	for path := range local {
		for _, differs := range []string{".user", ".password", ".connectAddr", ".filepath"} {
			if strings.HasSuffix(path, differs) {
				require.Contains(t, deployed, path)
				delete(local, path)
				delete(deployed, path)
			}
		}
	}
	require.Equal(t, local, deployed)
	require.Equal(t, engine(t, filepath.Join(dir, "dynamic.yaml")), engine(t, "temporal/dynamic.yaml"))
}

func TestWeaviateIsToldTheSameAsInDevelopment(t *testing.T) {
	deployed := map[string]string{}
	for _, line := range lines(t, "weaviate/weaviate.env") {
		name, value, found := strings.Cut(line, "=")
		if found && !strings.HasPrefix(line, "#") {
			deployed[name] = value
		}
	}
	local := map[string]string{}
	for _, pair := range weaviate.Environment("", weaviate.Ports{}) {
		name, value, _ := strings.Cut(pair, "=")
		local[name] = value
	}
	for _, name := range []string{
		"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED", "AUTOSCHEMA_ENABLED", "DEFAULT_QUANTIZATION",
		"DEFAULT_VECTORIZER_MODULE", "DISABLE_TELEMETRY", "RAFT_BOOTSTRAP_EXPECT",
	} {
		require.NotEmpty(t, local[name], name)
		require.Equal(t, local[name], deployed[name], name)
	}
}

func TestTheExampleNamesEveryVariableWithItsDefault(t *testing.T) {
	var required, all []string
	for _, line := range lines(t, "../.env.example") {
		bare := strings.TrimPrefix(line, "# ")
		if !strings.HasPrefix(bare, config.Prefix) || !strings.Contains(bare, "=") {
			continue
		}
		name, _, _ := strings.Cut(bare, "=")
		all = append(all, name)
		if bare == line {
			required = append(required, strings.Replace(line, "_KEYS=", "_KEYS="+anyKey(), 1))
		}
	}
	known := config.Names()
	for _, name := range all {
		require.Contains(t, known, name)
	}
	for _, name := range known {
		require.Contains(t, all, strings.TrimSuffix(name, "_FILE")+keptSuffix(name))
	}
	settings, unknown, err := config.Load(config.Serve, required)
	require.NoError(t, err)
	require.Empty(t, unknown)

	withDefaults := append([]string(nil), required...)
	for _, line := range lines(t, "../.env.example") {
		if bare, commented := strings.CutPrefix(line, "# "); commented && strings.HasPrefix(bare, config.Prefix) {
			withDefaults = append(withDefaults, bare)
		}
	}
	shown, _, err := config.Load(config.Serve, withDefaults)
	require.NoError(t, err)
	require.Equal(t, settings, shown, "a default in the example is not that of the program")
}

// keptSuffix is _FILE for the variables that are files themselves.
func keptSuffix(name string) string {
	for _, file := range []string{"TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CA_FILE", "EXTRA_FILE", "ALLOW_FILE", "EGRESS_CA_FILE"} {
		if strings.HasSuffix(name, file) {
			return "_FILE"
		}
	}
	return ""
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	var found []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		found = append(found, scanner.Text())
	}
	return found
}
