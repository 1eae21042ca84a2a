package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/redline-svc/redline/internal/access"
)

// The settings of the table: a document in two folders has levels 0 document, 1
// and 2 folders, 3 organization.
var (
	plain   = Settings{Folders: []Type{Unset, Unset}, Default: Public}
	private = Settings{Folders: []Type{Unset, Unset}, Organization: OrganizationPrivate, Default: Public}
	own     = Settings{Document: Restricted, Folders: []Type{Unset, Unset}, Default: Public}
	near    = Settings{Folders: []Type{Restricted, Unset}, Default: Public}
	far     = Settings{Folders: []Type{Unset, Restricted}, Default: Public}
	closed  = Settings{Folders: []Type{Unset, Unset}, Organization: Restricted, Default: Public}
	initial = Settings{Folders: []Type{Unset, Unset}, Default: Restricted}
	opened  = Settings{Document: Public, Folders: []Type{Restricted, Restricted}, Organization: Restricted, Default: Restricted}
)

func TestTheDecisionTable(t *testing.T) {
	grant := func(level int, role Role) Grant { return Grant{level, role} }
	for _, row := range []struct {
		name        string
		settings    Settings
		grants      []Grant
		read, write bool
	}{
		{"1 public, no grant", plain, nil, true, true},
		{"1 public document in a restricted folder", opened, nil, true, true},
		{"2 public, nearest is viewer", plain, []Grant{grant(3, Editor), grant(1, Viewer)}, true, false},
		{"3 public, organization viewer, document editor", plain, []Grant{grant(3, Viewer), grant(0, Editor)}, true, true},
		{"4 private, no grant", private, nil, false, false},
		{"5 private, organization editor", private, []Grant{grant(3, Editor)}, true, true},
		{"5 private, organization viewer", private, []Grant{grant(3, Viewer)}, true, false},
		{"6 private, only on a folder", private, []Grant{grant(2, Editor)}, true, true},
		{"6 private, only on the document", private, []Grant{grant(0, Viewer)}, true, false},
		{"7 private, organization editor and document viewer", private, []Grant{grant(3, Editor), grant(0, Viewer)}, true, false},
		{"8 restricted document, organization grant", own, []Grant{grant(3, Editor)}, false, false},
		{"8 restricted document, folder grant", own, []Grant{grant(1, Editor), grant(2, Editor)}, false, false},
		{"9 restricted document, document editor", own, []Grant{grant(0, Editor)}, true, true},
		{"9 restricted document, document viewer", own, []Grant{grant(0, Viewer), grant(3, Editor)}, true, false},
		{"10 restricted folder, grant on it", far, []Grant{grant(2, Editor)}, true, true},
		{"10 restricted folder, grant between", far, []Grant{grant(1, Viewer), grant(2, Editor)}, true, false},
		{"10 restricted folder, grant on the document", near, []Grant{grant(0, Editor)}, true, true},
		{"11 restricted folder, grant above", near, []Grant{grant(2, Editor)}, false, false},
		{"11 restricted folder, organization", far, []Grant{grant(3, Editor)}, false, false},
		{"12 restricted organization, organization", closed, []Grant{grant(3, Editor)}, true, true},
		{"12 restricted by default, folder", initial, []Grant{grant(1, Viewer), grant(3, Editor)}, true, false},
		{"12 restricted by default, none", initial, nil, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, Decision{Read: row.read, Write: row.write}, Decide(row.settings, row.grants))
		})
	}
}

var (
	types       = rapid.SampledFrom([]Type{Unset, Public, OrganizationPrivate, Restricted})
	anySettings = rapid.Custom(func(t *rapid.T) Settings {
		return Settings{
			Document: types.Draw(t, "document"), Folders: rapid.SliceOfN(types, 0, 4).Draw(t, "folders"),
			Organization: types.Draw(t, "organization"), Default: types.Filter(func(t Type) bool { return t != Unset }).Draw(t, "default"),
		}
	})
)

func grantsOf(t *rapid.T, settings Settings) []Grant {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Grant {
		return Grant{
			Level: rapid.IntRange(0, settings.OrganizationLevel()).Draw(t, "level"),
			Role:  rapid.SampledFrom([]Role{Viewer, Editor}).Draw(t, "role"),
		}
	}), 0, 4).Draw(t, "grants")
}

func TestWhatHoldsForAllSettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		settings := anySettings.Draw(t, "settings")
		grants := grantsOf(t, settings)
		got := Decide(settings, grants)
		require.False(t, got.Write && !got.Read, "who writes reads")
		more := append([]Grant{{Document, Editor}}, grants...)
		require.Equal(t, Decision{true, true}, Decide(settings, more), "an editor of the document always may")
		if got.Read {
			again := append([]Grant{{settings.OrganizationLevel(), Viewer}}, grants...)
			require.True(t, Decide(settings, again).Read, "a further grant takes no reading away")
		}
		deeper := settings
		deeper.Folders = append([]Type{Unset}, settings.Folders...)
		moved := make([]Grant, len(grants))
		for i, g := range grants {
			if moved[i] = g; g.Level > Document {
				moved[i].Level++
			}
		}
		require.Equal(t, got, Decide(deeper, moved), "a folder without a setting changes nothing")
	})
}

func TestTheNearestSettingHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		settings := anySettings.Draw(t, "settings")
		grants := grantsOf(t, settings)
		open := settings
		open.Document = Public
		require.True(t, Decide(open, grants).Read, "a public document is public wherever it is")
		shut := settings
		shut.Document = Restricted
		kept := []Grant{}
		for _, g := range grants {
			if g.Level == Document {
				kept = append(kept, g)
			}
		}
		require.Equal(t, Decide(shut, kept), Decide(shut, grants), "of a restricted document only its own grants count")
	})
}
