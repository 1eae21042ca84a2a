package workflow

import (
	"testing"

	"github.com/redline-svc/redline/tests/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }
