package proxy_test

import (
	"context"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/redline-svc/redline/tests/kit/proxy"
)

// far is above anything a loopback call takes.
const far = 20 * time.Second

func TestTemporalHoldsOneMethodAndForwardsTheRest(t *testing.T) {
	t.Parallel()
	temporal := temporalBefore(t)
	client := healthClient(t, temporal.Addr())
	ctx, cancel := context.WithTimeout(t.Context(), far)
	defer cancel()

	hold := temporal.HoldReply("Check", func(request []byte) bool { return len(request) > 0 })
	_, err := client.Check(ctx, &healthpb.HealthCheckRequest{})
	require.NoError(t, err, "a request that does not fit passes")

	answered := make(chan error, 1)
	go func() {
		_, err := client.Check(ctx, &healthpb.HealthCheckRequest{Service: "held"})
		answered <- err
	}()
	<-hold.Reached()
	require.Empty(t, answered, "the answer stands at the proxy")
	require.Equal(t, 2, temporal.Calls("Check"), "the server was asked")
	hold.Release()
	require.NoError(t, <-answered)
}

func TestTemporalIsGoneAndComesBackOnTheSameAddress(t *testing.T) {
	t.Parallel()
	temporal := temporalBefore(t)
	client := healthClient(t, temporal.Addr())
	ctx, cancel := context.WithTimeout(t.Context(), far)
	defer cancel()

	temporal.Down()
	_, err := client.Check(ctx, &healthpb.HealthCheckRequest{})
	require.Error(t, err)
	require.NoError(t, temporal.Up())
	_, err = client.Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
	require.NoError(t, err)
}

func temporalBefore(t *testing.T) *proxy.Temporal {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, state := grpc.NewServer(), health.NewServer()
	state.SetServingStatus("held", healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(server, state)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)

	temporal, err := proxy.NewTemporal(listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, temporal.Close()) })
	return temporal
}

func healthClient(t *testing.T, address string) healthpb.HealthClient {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return healthpb.NewHealthClient(conn)
}

func TestDatabaseNeverSendsWhatADeadClientLeftAtAHold(t *testing.T) {
	t.Parallel()
	startup := []byte{0, 0, 0, 8, 0, 3, 0, 0}
	begin, commit := messageOf('Q', "begin\x00"), messageOf('Q', "commit\x00")
	prepare, run := messageOf('P', "last\x00commit\x00\x00\x00"), messageOf('B', "\x00last\x00\x00\x00\x00\x00\x00\x00")
	for name, c := range map[string]struct {
		hold         func(d *proxy.Database) *proxy.Hold
		before, held []byte
	}{
		"a statement": {func(d *proxy.Database) *proxy.Hold { return d.HoldRequest(proxy.Says("COMMIT")) }, begin, commit},
		"a commit":    {func(d *proxy.Database) *proxy.Hold { return d.HoldCommit(proxy.Says("begin")) }, begin, commit},
		"a commit that was prepared": {
			func(d *proxy.Database) *proxy.Hold { return d.HoldCommit(proxy.Says("begin")) }, slices.Concat(prepare, begin), run,
		},
	} {
		server, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = server.Close() })
		got := make(chan []byte, 1)
		go func() {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			text, _ := io.ReadAll(conn)
			got <- text
		}()
		database, err := proxy.NewDatabase(server.Addr().String())
		require.NoError(t, err)
		t.Cleanup(database.Close)

		hold := c.hold(database)
		client, err := net.Dial("tcp", database.Addr())
		require.NoError(t, err)
		_, err = client.Write(slices.Concat(startup, c.before, c.held))
		require.NoError(t, err)
		<-hold.Reached()
		require.NoError(t, client.Close())
		require.Equal(t, slices.Concat(startup, c.before), <-got, "the server saw what came before %s", name)
		hold.Release()
	}
}

// messageOf is a message of a client of Postgres.
func messageOf(kind byte, text string) []byte {
	return append([]byte{kind, 0, 0, 0, byte(len(text) + 4)}, text...)
}

func TestPlainKeepsWhatComesWhileItIsFrozen(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	got := make(chan string, 2)
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				text, _ := io.ReadAll(conn)
				got <- string(text)
			}()
		}
	}()
	plain, err := proxy.NewPlain(server.Addr().String())
	require.NoError(t, err)
	t.Cleanup(plain.Down)
	say := func(text string) {
		client, err := net.Dial("tcp", plain.Addr())
		require.NoError(t, err, "connections are taken")
		_, err = client.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, client.Close())
	}

	plain.Freeze()
	say("frozen")
	require.Empty(t, got)
	plain.Thaw()
	require.Equal(t, "frozen", <-got)
	say("thawed")
	require.Equal(t, "thawed", <-got)
}
