package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
)

const (
	// askedFor is how long an answer may take, the look-up of the name included.
	askedFor = 5 * time.Second
	// answerLimit is how many bytes of an answer are read; one that is longer counts as
	// none.
	answerLimit = 1 << 20
	// writes is the role that may write.
	writes = "editor"
	// document is the type of what is asked about.
	document = "document"
)

// Provider is the service that says what the users of a workspace may do. Key keeps the connections of
// workspaces apart; an empty Token is not sent.
type Provider struct{ Key, URL, Token string }

// Question is which of some users may write to a document. ParentFolderID is empty where
// it is in no folder.
type Question struct {
	OrganizationID, DocumentID, ParentFolderID string
	UserIDs                                    []string
}

// Access is what the provider says of a user.
type Access int

// What a provider may say of a user. Unknown is that it said nothing that could be read.
const (
	Unknown Access = iota
	Denied
	Allowed
)

type request struct {
	Data struct {
		Requests []asked `json:"requests"`
	} `json:"data"`
}

type asked struct {
	UserID   string   `json:"userId"`
	Resource resource `json:"resource"`
}

type resource struct {
	Type           string `json:"type"`
	ID             string `json:"id"`
	OrganizationID string `json:"organizationId"`
	ParentFolderID string `json:"parentFolderId,omitempty"`
}

// entry is what an answer says of a user. ExpiresAt is epoch milliseconds.
type entry struct {
	UserID         string  `json:"userId"`
	ResourceID     string  `json:"resourceId"`
	Type           string  `json:"type"`
	OrganizationID string  `json:"organizationId"`
	HasAccess      *bool   `json:"hasAccess"`
	AccessRole     *string `json:"accessRole"`
	ExpiresAt      *int64  `json:"expiresAt"`
}

// Asker asks providers.
type Asker struct {
	post func(ctx context.Context, key string, r guard.Request) (*guard.Response, error)
}

// New makes an asker that calls through the guard.
func New(g *guard.Guard) *Asker {
	return &Asker{post: func(ctx context.Context, key string, r guard.Request) (*guard.Response, error) {
		return g.Client(key, guard.Provider).Send(ctx, r)
	}}
}

// Ask returns what the provider says of each user; now is the time that ends of access are
// compared with. Of a user who is not in the answer the map has Unknown.
func (a *Asker) Ask(ctx context.Context, p Provider, q Question, now time.Time) map[string]Access {
	said := map[string]Access{}
	began := time.Now()
	whole := a.answer(ctx, p, q, func(e *entry) {
		if e.Type != document || e.ResourceID != q.DocumentID || e.OrganizationID != q.OrganizationID || e.HasAccess == nil {
			return
		}
		// Of two entries the stricter one counts.
		if access := e.access(now.Add(time.Since(began))); said[e.UserID] != Denied {
			said[e.UserID] = access
		}
	})
	if !whole {
		return nil
	}
	return said
}

func (e *entry) access(now time.Time) Access {
	switch {
	case !*e.HasAccess,
		e.AccessRole != nil && *e.AccessRole != writes,
		e.ExpiresAt != nil && *e.ExpiresAt <= now.UnixMilli():
		return Denied
	default:
		return Allowed
	}
}

// answer passes the entries of the provider's answer on, and reports whether it is one to its end. There may be hundreds of
// thousands, and many who ask at once: one entry is in memory.
func (a *Asker) answer(ctx context.Context, p Provider, q Question, each func(*entry)) bool {
	ctx, cancel := context.WithTimeout(ctx, askedFor)
	defer cancel()
	body, err := json.Marshal(q.request())
	if err != nil {
		return false
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if p.Token != "" {
		header.Set("authorization", "Bearer "+p.Token)
	}
	got, err := a.post(ctx, p.Key, guard.Request{Method: http.MethodPost, URL: p.URL, Header: header, Body: body, ReadLimit: answerLimit, WorkspaceID: p.Key})
	if err != nil {
		return false
	}
	defer got.Done()
	if got.BodyErr != nil || got.Truncated || got.Status < http.StatusOK || got.Status >= http.StatusMultipleChoices || !json.Valid(got.Body) {
		return false
	}
	return readEntries(shape.Value(got.Body, "data"), each) == nil
}

// errNoList is that of an answer without a list of entries.
var errNoList = errors.New("there is no list of entries")

// readEntries reads the entries of a list one by one.
func readEntries(list []byte, each func(*entry)) error {
	d := json.NewDecoder(bytes.NewReader(list))
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return errNoList
	}
	var e entry
	for d.More() {
		e = entry{}
		if err := d.Decode(&e); err != nil {
			return err
		}
		each(&e)
	}
	return nil
}

func (q Question) request() (r request) {
	about := resource{Type: document, ID: q.DocumentID, OrganizationID: q.OrganizationID, ParentFolderID: q.ParentFolderID}
	for _, user := range q.UserIDs {
		r.Data.Requests = append(r.Data.Requests, asked{user, about})
	}
	return r
}
