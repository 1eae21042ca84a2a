package weaviate

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/redline-svc/redline/cmd/redline-dev/probe"
)

// Ports are the TCP ports of the node, all on 127.0.0.1.
type Ports struct {
	HTTP, GRPC, Gossip, Data, Raft, RaftInternal, Profile int
}

// PortCount is how many ports a server opens.
const PortCount = 7

// PortsFrom are PortCount ports in a row.
func PortsFrom(first int) Ports {
	return Ports{
		HTTP: first, GRPC: first + 1, Gossip: first + 2, Data: first + 3,
		Raft: first + 4, RaftInternal: first + 5, Profile: first + 6,
	}
}

// Args are the arguments of the server program.
func Args(ports Ports) []string {
	return []string{"--host", "127.0.0.1", "--port", strconv.Itoa(ports.HTTP), "--scheme", "http"}
}

// Environment is all that the server is told besides, as name=value.
func Environment(dir string, ports Ports) []string {
	return []string{
		"PERSISTENCE_DATA_PATH=" + filepath.Join(dir, "data"),
		"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true",
		"AUTOSCHEMA_ENABLED=false",
		"DEFAULT_VECTORIZER_MODULE=none",
		"DEFAULT_QUANTIZATION=none",
		"DISABLE_TELEMETRY=true",
		"CLUSTER_HOSTNAME=node1",
		"CLUSTER_ADVERTISE_ADDR=127.0.0.1",
		"CLUSTER_GOSSIP_BIND_PORT=" + strconv.Itoa(ports.Gossip),
		"CLUSTER_DATA_BIND_PORT=" + strconv.Itoa(ports.Data),
		"RAFT_PORT=" + strconv.Itoa(ports.Raft),
		"RAFT_INTERNAL_RPC_PORT=" + strconv.Itoa(ports.RaftInternal),
		"RAFT_BOOTSTRAP_EXPECT=1",
		// Patience with slow networks, 5 by default; alone on loopback it only delays the start.
		"RAFT_TIMEOUTS_MULTIPLIER=1",
		"GRPC_PORT=" + strconv.Itoa(ports.GRPC),
		"GO_PROFILING_PORT=" + strconv.Itoa(ports.Profile),
		// By default nothing is written any more on a disk that is 90 % full, and
		// developers' disks often are: there every file would wait for the index.
		"DISK_USE_READONLY_PERCENTAGE=0",
		"LOG_LEVEL=warning",
	}
}

// AwaitReady waits until the node says that it takes requests.
func AwaitReady(ctx context.Context, port int) error {
	return probe.Answers(ctx, fmt.Sprintf("http://127.0.0.1:%d/v1/.well-known/ready", port))
}
