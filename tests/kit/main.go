package kit

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/contract"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// All tests may begin; how many go on at once is said by their slots, fewer
// of those with processes of their own. Nearly all of their time is waiting, so
// the numbers do not follow the cores, but more at once would on two of them run
// into limits of time that have nothing to do with the test.
const sideBySide = "1000"

var (
	SharedSlots   = make(chan struct{}, 8)
	IsolatedSlots = make(chan struct{}, 3)
)

// TakeSlot waits for a slot, which the end of the test returns back.
func TakeSlot(t *testing.T, slots chan struct{}) {
	t.Helper()
	slots <- struct{}{}
	t.Cleanup(func() { <-slots })
}

// Shared is the stack that all tests use, namespaces are those of its isolated stacks, authority is
// what its egress trusts, published the document that all calls are held against.
var (
	Shared     *stack.Stack
	namespaces *stack.Namespaces
	authority  *receiver.Authority
	published  *contract.Document
)

func Main(m *testing.M) {
	_ = flag.Set("test.parallel", sideBySide)
	flag.Parse()
	code, err := withStack(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "the run:", err)
		code = 1
	}
	os.Exit(code)
}

// withStack runs the tests between start and stop of the shared stack.
func withStack(run func() int) (code int, err error) {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "redline-tests-")
	if err != nil {
		return 1, err
	}
	defer func() { tidy(folder, code) }()
	binary, err := stack.Build(ctx, folder, os.Getenv("REDLINE_TEST_BINARY"))
	if err != nil {
		return 1, err
	}
	if attached := os.Getenv("REDLINE_TEST_STACK"); attached != "" {
		Shared, err = stack.Attach(binary, attached)
	} else {
		Shared, err = stack.Start(ctx, binary, filepath.Join(folder, "stack"), "serve")
	}
	if err != nil {
		return 1, err
	}
	if err = prepare(ctx); err == nil {
		code = run()
		err = errors.Join(published.Mismatches(), stopVariants(code != 0))
	}
	if stopped := Shared.Stop(); err == nil && stopped != nil {
		err = fmt.Errorf("stop: %w", stopped)
	}
	return code, err
}

// prepare reads what all tests need of the stack that runs.
func prepare(ctx context.Context) (err error) {
	if authority, err = receiver.ReadAuthority(Shared.Folder); err != nil {
		return err
	}
	if published, err = contract.Fetch(ctx, Shared.URL()); err != nil {
		return err
	}
	client.Around = published.Around
	if namespaces, err = stack.OpenNamespaces(ctx, Shared); err != nil {
		return err
	}
	return Shared.Volatile(ctx)
}

// tidy removes data and logs unless something failed or they are wanted.
func tidy(folder string, code int) {
	if code != 0 || os.Getenv("REDLINE_TEST_KEEP") == "1" {
		fmt.Fprintln(os.Stderr, "data and logs stay in", folder)
		return
	}
	if err := stack.Remove(folder); err != nil {
		fmt.Fprintln(os.Stderr, "data could not be removed:", err)
	}
}
