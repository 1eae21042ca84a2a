package person

import (
	"archive/zip"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"text/template"
	"time"

	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// linesAtOnce is how many lines of a file are read at once.
const linesAtOnce = 500

// marksAtOnce is how many read marks are read at once. Each page goes through all of a person, and one line is short.
const marksAtOnce = 20_000

//go:embed readme.txt
var readmeText string

var readme = template.Must(template.New("readme").Parse(readmeText))

// WriteArchive writes the archive of an export: a README, and a file of JSON lines for each kind of what
// is kept of the person, all of one instant. It reports whether the person is there.
func (s *Persons) WriteArchive(ctx context.Context, exportID string, to io.Writer) (counts Counts, there bool, err error) {
	err = s.db.Read(ctx, func(tx *pg.Tx) error {
		a := archive{zip: zip.NewWriter(to)}
		r, err := openExport(ctx, tx, exportID)
		if err != nil || r == nil {
			return err
		}
		there, a.reader = true, r
		if err := a.writeAll(ctx); err != nil {
			return err
		}
		counts = a.counts
		return a.zip.Close()
	})
	return counts, there, err
}

// openExport finds the person of an export; nil where they or their organization are gone.
func openExport(ctx context.Context, tx *pg.Tx, exportID string) (*reader, error) {
	r := &reader{tx: tx, size: linesAtOnce}
	err := tx.QueryRow(ctx, `SELECT e.workspace_id, e.organization_key, e.user_id, o.organization_id FROM exports e JOIN organizations o ON o.key = e.organization_key
WHERE e.id = $1 AND e.open AND o.organization_id IS NOT NULL`, exportID).Scan(&r.workspaceID, &r.organization, &r.of.UserID, &r.of.OrganizationID)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // a person who is gone is a valid answer
	}
	return r, err
}

// archive is an archive that is being written.
type archive struct {
	*reader

	zip    *zip.Writer
	counts Counts
	// name is what the person is called, nil where that is not known.
	name *string
}

// writeAll writes the files, and at last the README, which says how much is in each.
func (a *archive) writeAll(ctx context.Context) (err error) {
	if err = a.writeProfile(ctx); err != nil {
		return err
	}
	if a.counts.Grants, err = writeFile(a.zip, "grants.jsonl", grantLine, func(at *directory.PersonGrantPosition) (*directory.PersonGrantPage, error) {
		return a.grants(ctx, at)
	}); err != nil {
		return err
	}
	if a.counts.Comments, err = writeFile(a.zip, "comments.jsonl", commentLine, func(at *view.PersonPosition) (*view.PersonPage, error) {
		return a.comments(ctx, at)
	}); err != nil {
		return err
	}
	if a.counts.Notifications, err = writeFile(a.zip, "notifications.jsonl", notificationLine, func(at *notification.Position) (*notification.Page, error) {
		return a.notifications(ctx, at)
	}); err != nil {
		return err
	}
	if a.counts.Activities, err = writeFile(a.zip, "activities.jsonl", activityLine, func(at *activity.Position) (*activity.Page, error) {
		return a.activities(ctx, at)
	}); err != nil {
		return err
	}
	marks := *a.reader
	marks.size = marksAtOnce
	if _, err = writeFile(a.zip, "read-marks.jsonl", func(m ReadMark) any { return m }, func(at *markPosition) (*markPage, error) {
		return marks.readMarks(ctx, at)
	}); err != nil {
		return err
	}
	return a.writeReadme(ctx)
}

// writeFile writes all items of one kind, a line each, and returns how many these are.
func writeFile[T, P any](to *zip.Writer, name string, line func(T) any, read func(*P) (*list.Page[T, P], error)) (lines int64, err error) {
	file, err := to.Create(name)
	if err != nil {
		return 0, err
	}
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	for at := (*P)(nil); ; {
		page, err := read(at)
		if err != nil {
			return lines, err
		}
		for _, item := range page.Items {
			if err := encoder.Encode(line(item)); err != nil {
				return lines, err
			}
		}
		lines += int64(len(page.Items))
		if at = page.Next; at == nil {
			return lines, nil
		}
	}
}

func (a *archive) writeProfile(ctx context.Context) error {
	profiles, err := directory.ReadProfiles(ctx, a.tx, a.organization, []string{a.of.UserID})
	if err != nil {
		return err
	}
	var all []*directory.Profile
	if p := profiles[a.of.UserID]; p != nil {
		all = append(all, p)
		a.name = p.Name
	}
	_, err = writeFile(a.zip, "profile.jsonl", func(p *directory.Profile) any { return p.Snapshot() },
		func(*struct{}) (*list.Page[*directory.Profile, struct{}], error) {
			return &list.Page[*directory.Profile, struct{}]{Items: all}, nil
		})
	return err
}

func (a *archive) writeReadme(ctx context.Context) error {
	file, err := a.zip.Create("README.txt")
	if err != nil {
		return err
	}
	var at time.Time
	if err := a.tx.QueryRow(ctx, `SELECT transaction_timestamp()`).Scan(&at); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := readme.Execute(&text, map[string]any{"Name": a.name, "Person": a.of.UserID, "Organization": a.of.OrganizationID, "Counts": a.counts, "At": at.UTC().Format("2 January 2006, 15:04 UTC")}); err != nil {
		return err
	}
	_, err = file.Write(text.Bytes())
	return err
}
