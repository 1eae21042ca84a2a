package api_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/redline-svc/redline/models/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(checked{m}) }

// checked are the tests, after which every call has to have been as the document says.
type checked struct{ *testing.M }

// Run runs the tests. A mismatch that no test has failed for ends the run red.
func (c checked) Run() int {
	code := c.M.Run()
	if err := closeSuite(); err != nil {
		fmt.Fprintln(os.Stderr, "the run:", err)
		code = max(code, 1)
	}
	return code
}
