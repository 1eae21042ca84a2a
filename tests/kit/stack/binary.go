package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build compiles the service's program and redline-dev into folder and returns the
// path of the first. A program that is given, with redline-dev beside it, is taken
// instead. With REDLINE_TEST_RACE=1 the race detector is built in.
func Build(ctx context.Context, folder, given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	args := []string{"build", "-o", folder + string(filepath.Separator)}
	if os.Getenv("REDLINE_TEST_RACE") == "1" {
		args = append(args, "-race")
	} else {
		args = append(args, "-ldflags", "-s -w")
	}
	build := exec.CommandContext(ctx, "go", append(args, "./cmd/redline", "./cmd/redline-dev")...)
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the programs: %w\n%s", err, output)
	}
	return filepath.Join(folder, "redline"), nil
}

// Dev returns the path of the redline-dev that lies beside the service's program.
func Dev(binary string) string { return filepath.Join(filepath.Dir(binary), "redline-dev") }

// moduleRoot is the folder of the go.mod that the current folder belongs to.
func moduleRoot(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	file := strings.TrimSpace(string(output))
	if file == "" || file == os.DevNull {
		return "", errors.New("the tests have to run inside the module")
	}
	return filepath.Dir(file), nil
}
