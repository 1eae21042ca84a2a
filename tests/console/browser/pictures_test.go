package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// demo is the workspace that a development stack makes at its start.
func demo(t *testing.T) *kit.Env {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(kit.Shared.Folder, "demo.env"))
	require.NoError(t, err)
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		known[name] = strings.Trim(value, `'"`)
	}
	workspace := client.OpenWorkspace(kit.Shared.URL(), client.Credentials{
		ID: known["REDLINE_WORKSPACE_ID"], Token: known["REDLINE_WORKSPACE_AUTH_TOKEN"], APIKey: known["REDLINE_API_KEY"], AuthToken: known["REDLINE_AUTH_TOKEN"],
	})
	trusted, err := receiver.ReadAuthority(kit.Shared.Folder)
	require.NoError(t, err)
	return &kit.Env{T: t, Ctx: t.Context(), Workspace: workspace, Owner: workspace.Owner, Keyed: workspace.Keyed, Trusted: trusted, Database: kit.Shared.Env["REDLINE_DATABASE_URL"]}
}

// TestPictures_OfEveryPage writes a picture of each page with the demo workspace into the folder
// that REDLINE_PICTURES names.
func TestPictures_OfEveryPage(t *testing.T) {
	folder := os.Getenv("REDLINE_PICTURES")
	require.NotEmpty(t, folder, "REDLINE_PICTURES names the folder; make screenshots does")
	env := demo(t)
	pages := lived(env)
	b := openTabAt(env, kit.ConsoleURL())
	b.prefer("light", seen)
	b.open("/login")
	b.take(filepath.Join(folder, "login.png"))
	b.logIn()
	b.actAs("u_editor")
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		b.open(pages[name])
		b.take(filepath.Join(folder, name+".png"))
	}
	for _, name := range []string{"execution", "overview"} {
		b.prefer("dark", seen)
		b.open(pages[name])
		b.take(filepath.Join(folder, name+"-dark.png"))
	}
	b.prefer("light", narrow)
	b.open("/inbox")
	b.take(filepath.Join(folder, "inbox-narrow.png"))
	b.prefer("light", seen)
	b.press("Log out")
	b.fill("Workspace id", env.Workspace.ID)
	b.fillIn("form:has(#workspaceToken)", "Its auth token", env.Workspace.Token)
	b.pressIn("form:has(#workspaceToken)", "Log in")
	b.press("Settings")
	b.shows("Make a key")
	b.take(filepath.Join(folder, "settings.png"))
}

// seen is how wide the pictures are, narrow those of a telephone.
const seen, narrow = 1360, 390

// take writes what is seen of the page as a picture of a few kilobytes.
func (b *tab) take(file string) {
	t := b.env.T
	t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(text))
	require.NoError(t, err)
	var small bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(picture)))
	require.Less(t, small.Len(), 200_000, file)
	require.NoError(t, os.WriteFile(file, small.Bytes(), 0o600))
}

// paletted is a picture in its most frequent colours. A page has few, and those between them of the
// edges of its letters.
func paletted(from image.Image) image.Image {
	const most = 256
	counts := map[color.Color]int{}
	box := from.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			counts[from.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int { return cmp.Compare(counts[b], counts[a]) })
	to := image.NewPaletted(box, colours[:min(most, len(colours))])
	draw.Draw(to, box, from, box.Min, draw.Src)
	return to
}
