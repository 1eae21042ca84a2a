package telemetry

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheVersionNamesReleaseAndCommit(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^\d+\.\d+\.\d+$`, Release)
	require.Equal(t, Release, versionOf(nil))
	built := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}}
	require.Equal(t, Release+"+0123456789ab", versionOf(built))
}
