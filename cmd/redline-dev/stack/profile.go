package stack

import (
	"fmt"
	"net"
	"runtime"
	"strconv"

	"github.com/redline-svc/redline/cmd/redline-dev/receiver"
)

// namespace is where the service's runs live in Temporal.
const namespace = "svc"

// loopback is the only network that the development profile opens.
const loopback = "127.0.0.0/8"

// startsAtOnce is how many starts are asked of Temporal at once: one for each processor,
// on which Temporal runs as well. More wait there for one another, and take the time of
// callers. By turns on two processors, dispatches were acknowledged 1,287 and 1,211 times a
// second so, 1,162 and 984 with twice as many, and steps were about as fast. A single one
// would add to that, but one that hangs would hold back all others.
func startsAtOnce() string { return strconv.Itoa(runtime.NumCPU()) }

// profile is the configuration of a development stack: all parts on loopback,
// rate limits off, receivers on loopback allowed by name and network while the
// guard itself stays on, mail caught.
func profile(f folder, p *ports, k keys, databaseURL, authority string) environment {
	return environment{
		"REDLINE_HTTP_ADDR":                   local(p.HTTP),
		"REDLINE_OPS_ADDR":                    local(p.Ops),
		"REDLINE_CONSOLE_ADDR":                local(p.Console),
		"REDLINE_CONSOLE_TEMPORAL_UI_URL":     "http://" + local(p.UI) + "/namespaces/" + namespace,
		"REDLINE_CONSOLE_MAILS_URL":           "http://" + local(p.inbox()) + "/dev/mails",
		"REDLINE_PPROF":                       "true",
		"REDLINE_OPS_TRY":                     "true",
		"REDLINE_DATABASE_URL":                databaseURL,
		"REDLINE_TEMPORAL_ADDR":               local(p.temporal().Frontend),
		"REDLINE_TEMPORAL_NAMESPACE":          namespace,
		"REDLINE_WEAVIATE_ADDR":               local(p.weaviate().HTTP),
		"REDLINE_WEAVIATE_GRPC_ADDR":          local(p.weaviate().GRPC),
		"REDLINE_BLOB_DIR":                    f.path("blobs"),
		"REDLINE_ENCRYPTION_KEYS":             k.Encryption,
		"REDLINE_HASH_KEYS":                   k.Hash,
		"REDLINE_RATE_KEY_PER_MIN":            "0",
		"REDLINE_RATE_WORKSPACE_PER_MIN":      "0",
		"REDLINE_RATE_CREATE_PER_HOUR":        "0",
		"REDLINE_RATE_IP_PER_MIN":             "0",
		"REDLINE_RATE_MEMORY_STATUS_PER_MIN":  "0",
		"REDLINE_RATE_MEMORY_QUERY_PER_MIN":   "0",
		"REDLINE_RATE_MEMORY_READ_PER_MIN":    "0",
		"REDLINE_RATE_MEMORY_UPLOAD_PER_MIN":  "0",
		"REDLINE_RATE_MEMORY_SUGGEST_PER_MIN": "0",
		"REDLINE_RATE_MEMORY_WRITE_PER_MIN":   "0",
		"REDLINE_QUOTA_FILES_FREE":            "0",
		"REDLINE_QUOTA_FILES_PAID":            "0",
		"REDLINE_QUOTA_ROWS_FREE":             "0",
		"REDLINE_QUOTA_ROWS_PAID":             "0",
		"REDLINE_QUOTA_MESSAGES_FREE":         "0",
		"REDLINE_QUOTA_MESSAGES_PAID":         "0",
		"REDLINE_EGRESS_ALLOW_CIDRS":          loopback,
		"REDLINE_EGRESS_ALLOW_HOSTS":          "localhost",
		"REDLINE_WORKFLOW_EGRESS_ALLOW_CIDRS": loopback,
		"REDLINE_EGRESS_CA_FILE":              authority,
		"REDLINE_EGRESS_RESOLVE":              receiver.Host + "=127.0.0.1",
		"REDLINE_SMTP_ADDR":                   local(p.smtp()),
		"REDLINE_SMTP_SECURITY":               "none",
		"REDLINE_SMTP_FROM":                   "redline@" + receiver.Host,
		"REDLINE_SMTP_FREE_TOTAL_PER_DAY":     "0",
		"REDLINE_OWNERS_CONFIRMED":            "true",
		"REDLINE_SHUTDOWN_DELAY":              "0s",
		"REDLINE_STARTS_IN_FLIGHT":            startsAtOnce(),
	}
}

// addresses are what a person, a script or a test needs to reach the stack.
func addresses(p *ports, settings environment) environment {
	inbox := "http://" + local(p.inbox())
	return environment{
		"REDLINE_URL":              reachable(settings["REDLINE_HTTP_ADDR"]),
		"REDLINE_OPS_URL":          reachable(settings["REDLINE_OPS_ADDR"]),
		"REDLINE_CONSOLE_URL":      reachable(settings["REDLINE_CONSOLE_ADDR"]),
		"REDLINE_TEMPORAL_UI_URL":  "http://" + local(p.UI),
		"REDLINE_DEV_RECEIVER_URL": "https://" + net.JoinHostPort(receiver.Host, strconv.Itoa(p.receiver())),
		"REDLINE_DEV_INBOX_URL":    inbox + "/dev/inbox",
		"REDLINE_DEV_MAILS_URL":    inbox + "/dev/mails",
		"REDLINE_DEV_PARTS_URL":    inbox + "/dev/parts",
	}
}

// reachable is the URL of a listener as seen from this machine.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
