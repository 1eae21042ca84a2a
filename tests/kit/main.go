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

// sideBySide lets all tests of a package begin; the slots bound how many go on at once.
const sideBySide = "1000"

// SharedSlots bounds how many tests of a package use processes that they share at once.
// Nearly all of a test's time is waiting, so the number does not follow the cores: ten
// keep two of them busy, and many more would run into deadlines that have nothing to do with
// the test. make runs several packages beside each other, each with slots of its own.
var SharedSlots = make(chan struct{}, 10)

// IsolatedSlots bounds the tests of a package that have processes or servers of their own.
// They are fewer than those of SharedSlots, beside which they run: each starts programs,
// which takes processor and memory where the others only wait for an answer.
var IsolatedSlots = make(chan struct{}, 5)

// TakeSlot waits for one of the slots and frees it at the end of the test.
func TakeSlot(t *testing.T, slots chan struct{}) {
	t.Helper()
	slots <- struct{}{}
	t.Cleanup(func() { <-slots })
}

// Shared is the stack that all tests of the package use. Main sets it before the first test.
var Shared *stack.Stack

// namespaces are those of the isolated stacks on Shared, authority is what its egress trusts,
// published the document that all calls are held against.
var (
	namespaces *stack.Namespaces
	authority  *receiver.Authority
	published  *contract.Document
)

// Main runs the tests of a package on the shared stack, which it starts or attaches to, and
// ends the process with their exit code. It fails the run as well where a call did not match
// the published document.
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
	return Shared.Without(ctx, "fsync", "full_page_writes", "synchronous_commit")
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
