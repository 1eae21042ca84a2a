package stack

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
)

// Run runs a command of the program with the stack's variables, changed by
// overrides, to its end and returns what it printed.
func (s *Stack) Run(ctx context.Context, overrides map[string]string, args ...string) (string, error) {
	env := maps.Clone(s.Env)
	maps.Copy(env, overrides)
	cmd := exec.CommandContext(ctx, s.Binary, args...)
	cmd.Env = environment(env)
	output, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("redline %v: %w\n%s", args, err, output)
	}
	return string(output), err
}
