package quota_test

import (
	"testing"

	"github.com/redline-svc/redline/models/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
