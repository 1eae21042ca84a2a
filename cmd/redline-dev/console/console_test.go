package console_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/console"
)

func TestPlainOutputHasALineForEachTurn(t *testing.T) {
	var out bytes.Buffer
	c := console.Quiet(&out)
	c.Sayf("There are %d parts.", 2)
	good, bad := c.Begin("Building one"), c.Begin("Building two")
	good.Detailf("%d of %d packages", 3, 9)
	good.End(nil)
	bad.End(errors.New("broken"))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 5)
	require.Equal(t, []string{"There are 2 parts.", "Building one ...", "Building two ..."}, lines[:3])
	require.True(t, strings.HasPrefix(lines[3], "Building one: done in "), lines[3])
	require.True(t, strings.HasPrefix(lines[4], "Building two: failed after "), lines[4])
	require.NotContains(t, out.String(), "\x1b", "no control characters outside a terminal")
}
