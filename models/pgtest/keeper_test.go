package pgtest

import (
	"context"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
)

func limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), startLimit)
}

func TestTheServerIsSharedUntilItsLastUserEnds(t *testing.T) {
	t.Parallel()
	goTest := startRun(t)
	var members [2]*process
	var wg sync.WaitGroup
	for i := range members {
		wg.Go(func() { members[i] = goTest.startMember(t) })
	}
	wg.Wait()
	first, last := members[0], members[1]
	require.Equal(t, hostOf(t, first.address), hostOf(t, last.address))
	require.NotEqual(t, first.address, last.address, "each has databases of its own")
	server := serverOf(t, last.address)

	goTest.kill()
	first.end(t)
	ended := ask(t, last.address, `SELECT clock_timestamp()::text`)
	require.Eventually(t, func() bool {
		return ask(t, last.address, `SELECT count(*)::text FROM pg_stat_activity
WHERE application_name = 'pgtest keeper' AND query_start > '`+ended+`'`) == "1"
	}, time.Minute, 10*time.Millisecond, "the keeper counts after the first has ended")
	require.True(t, child.Alive(server.pid))

	last.kill()
	server.isGone(t)
}

func TestAnotherServerFollowsAKeeperThatWasKilled(t *testing.T) {
	t.Parallel()
	goTest := startRun(t)
	before := goTest.startMember(t)
	old := serverOf(t, before.address)
	require.NoError(t, syscall.Kill(old.keeper, syscall.SIGKILL))
	after := goTest.startMember(t)
	require.Equal(t, "1", ask(t, after.address, `SELECT count(*)::text FROM pg_database WHERE datname LIKE 'test\_%'`), "it begins again")
	require.False(t, child.Alive(old.pid))
	require.NotEqual(t, hostOf(t, after.address), joinAgain(t).address.Host, "another run has a server of its own")
	server := serverOf(t, after.address)
	require.NoError(t, syscall.Kill(server.keeper, syscall.SIGTERM))
	server.isGone(t) // a keeper that is asked to end cleans up
}

func TestAServerThatNobodyUsesEndsBeforeItsRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := limited()
	defer cancel()
	r, err := runOf(startRun(t).pid())
	require.NoError(t, err)
	k := &keeper{run: r, idle: time.Millisecond}
	require.NoError(t, k.keep(ctx))
	require.NoDirExists(t, r.folder())
	require.False(t, child.Alive(k.server.PID()))
}

// postmaster is a server as a test sees it from outside.
type postmaster struct {
	host        string
	data        string
	pid, keeper int
}

func serverOf(t *testing.T, address string) postmaster {
	t.Helper()
	p := postmaster{host: hostOf(t, address), data: ask(t, address, "SHOW data_directory")}
	id, _, _ := strings.Cut(ask(t, address, "SELECT pg_read_file('postmaster.pid')"), "\n")
	var err error
	p.pid, err = strconv.Atoi(id)
	require.NoError(t, err)
	keeper, err := exec.Command("ps", "-o", "ppid=", "-p", id).Output()
	require.NoError(t, err)
	p.keeper, err = strconv.Atoi(strings.TrimSpace(string(keeper)))
	require.NoError(t, err)
	return p
}

// isGone waits until the server and its keeper have ended and checks that nothing is left.
func (p postmaster) isGone(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return !child.Alive(p.pid) && !child.Alive(p.keeper) }, time.Minute, 10*time.Millisecond)
	_, err := net.Dial("tcp", p.host)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NoDirExists(t, filepath.Dir(p.data))
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	return parsed.Host
}

// ask returns the answer of one row and column.
func ask(t *testing.T, address, query string) string {
	t.Helper()
	ctx, cancel := limited()
	defer cancel()
	conn, err := connect(ctx, address, "test")
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	var answer string
	require.NoError(t, conn.QueryRow(ctx, query).Scan(&answer))
	return answer
}
