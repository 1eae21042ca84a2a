package workflow

import (
	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// Side is both sides of a row, on one stack.
type Side struct {
	Runs
	Bare  *bare.Engine
	Stack *stack.Stack
	// Authority signs the receivers' certificates.
	Authority *receiver.Authority
}
