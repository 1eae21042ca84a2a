package webhook

import (
	"testing"

	"github.com/redline-svc/redline/tests/kit"
)

func TestMain(m *testing.M) {
	kit.ProcessSettings = kit.WithoutModel
	kit.Main(m)
}
