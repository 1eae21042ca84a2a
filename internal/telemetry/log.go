package telemetry

import (
	"io"
	"log/slog"
	"runtime/debug"
)

// fields are all that a log line may hold. The linter of log calls (sloglint in
// .golangci.yml) lets pass no other key, and a test compares its list with this one.
var fields = set(
	// Every line.
	"time", "level", "msg", "version", "role",
	// A request.
	"request_id", "trace_id", "operation", "workspace_id", "api_key_id", "status", "http_status",
	"duration_ms", "bytes_in", "bytes_out", "client_ip",
	// What went wrong; never shown to a caller.
	"error",
	// Background work: what it is about, and how it went.
	"class", "kind", "name", "count", "addr", "state", "workflow_id", "run_id", "execution_id", "step_id",
	"event_id", "delivery_id", "destination_id", "definition_id", "owner_id", "attempt", "rule", "query",
	"namespace", "part", "signal", "message_id", "endpoint_id", "mail_id", "source_id", "source_version", "reason",
	// What Temporal's library says of runs; its ids are ours.
	"Namespace", "TaskQueue", "WorkerID", "WorkflowType", "WorkflowID", "RunID", "ActivityID", "ActivityType",
	"Attempt", "Error",
)

func set(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// NewLogger writes JSON lines at level and above. Role is the command that runs.
func NewLogger(w io.Writer, level slog.Leveler, role string) *slog.Logger {
	handler := slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: onlyListed})
	return slog.New(handler).With("version", Version(), "role", role)
}

func onlyListed(groups []string, attr slog.Attr) slog.Attr {
	if len(groups) > 0 || !fields[attr.Key] {
		return slog.Attr{}
	}
	if err, ok := attr.Value.Any().(error); ok {
		return slog.String(attr.Key, err.Error())
	}
	return attr
}

// Release is the version of this tree, by semantic versioning 2.0.0; CHANGELOG.md says what is
// in it.
const Release = "0.1.0"

// commitLength is how much of a commit is shown, as git itself does for large projects.
const commitLength = 12

// Version is the version of this build: the release and, where the build knows it, the commit
// as build metadata (semantic versioning 2.0.0, rule 10).
func Version() string {
	info, known := debug.ReadBuildInfo()
	if !known {
		return Release
	}
	return versionOf(info.Settings)
}

func versionOf(settings []debug.BuildSetting) string {
	for _, setting := range settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= commitLength {
			return Release + "+" + setting.Value[:commitLength]
		}
	}
	return Release
}
