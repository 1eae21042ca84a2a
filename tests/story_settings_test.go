package tests

import (
	"testing"

	"github.com/redline-svc/redline/tests/client"
)

// beginWith makes a workspace at an api process of the test's own with a database of its
// own. settings are NAME=value.
func beginWith(t *testing.T, settings ...string) *scene {
	t.Helper()
	l := newLab(t)
	return l.begin(l.start("api", settings...))
}

// elsewhere makes another workspace at the same process.
func (s *scene) elsewhere() *scene {
	s.t.Helper()
	other := enter(s.t, s.owner.BaseURL)
	other.database, other.trusted = s.database, s.trusted
	return other
}

// public is a session at the same process without credentials.
func (s *scene) public() *client.Session { return client.Public(s.owner.BaseURL) }
