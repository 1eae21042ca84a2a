package pgtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// asMember makes this test binary one of the run that it names: it makes a
// database, prints its address and lives until its input ends.
const asMember = "PGTEST_TEST_MEMBER_OF"

func TestMain(m *testing.M) {
	_, keeper := os.LookupEnv(keeperOf)
	if number, ok := os.LookupEnv(asMember); ok && !keeper {
		if err := memberMain(number); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	Main(m)
}

// process is another process of a test.
type process struct {
	command *exec.Cmd
	in      io.Closer
	// address is what a member printed.
	address string
}

// startRun starts a process that stands for a `go test`.
func startRun(t *testing.T) *process {
	t.Helper()
	return start(t, exec.Command("/bin/sleep", "600"))
}

func (p *process) pid() int { return p.command.Process.Pid }

// startMember starts a test binary of the run and waits for its database.
func (p *process) startMember(t *testing.T) *process {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), asMember+"="+strconv.Itoa(p.pid()))
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	member := start(t, command)
	member.address, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	member.address = member.address[:len(member.address)-1]
	return member
}

func start(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	in, err := command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	p := &process{command: command, in: in}
	t.Cleanup(func() { p.kill() })
	return p
}

// end has a member end by itself.
func (p *process) end(t *testing.T) {
	t.Helper()
	require.NoError(t, p.in.Close())
	require.NoError(t, p.command.Wait())
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

func memberMain(number string) error {
	parent, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	r, err := runOf(parent)
	if err != nil {
		return err
	}
	ctx, cancel := limited()
	defer cancel()
	share, err := r.join(ctx)
	if err != nil {
		return err
	}
	name, err := share.create(ctx, "template1")
	if err != nil {
		return err
	}
	fmt.Println(share.url(name))
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
