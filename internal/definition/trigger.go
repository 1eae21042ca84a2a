package definition

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Trigger is one trigger of a stored definition. At most one of Inbound and Schedule
// is set; with neither it is only a label.
type Trigger struct {
	ID string `json:"triggerId"`
	// Filters are what a trigger context must have: by dot path the value, or the
	// array of allowed values.
	Filters  map[string]json.RawMessage `json:"filters,omitempty"`
	Inbound  *Inbound                   `json:"inboundWebhook,omitempty"`
	Schedule *Schedule                  `json:"schedule,omitempty"`
}

// Inbound says how a request from outside proves itself and what is taken from it.
// Its secret is kept apart.
type Inbound struct {
	AuthMode            string   `json:"authMode"` // hmac, bearer
	Provider            string   `json:"provider"` // svc, github, custom
	SignatureHeader     string   `json:"signatureHeader"`
	SignatureAlgorithm  string   `json:"signatureAlgorithm"` // sha1, sha256
	SignaturePrefix     string   `json:"signaturePrefix"`
	EventNameHeader     string   `json:"eventNameHeader,omitempty"`
	AllowedEvents       []string `json:"allowedEvents,omitempty"`
	IdempotencyHeader   string   `json:"idempotencyHeader,omitempty"`
	IdempotencyBodyPath string   `json:"idempotencyBodyPath,omitempty"`
	PayloadMapping      string   `json:"payloadMapping,omitempty"` // wrap, or empty
}

// Providers of inbound requests, and how they prove themselves.
const (
	ProviderSvc    = "svc"
	ProviderGitHub = "github"
	ProviderVercel = "vercel"

	AuthBearer = "bearer"
	WrapSource = "wrap"
)

// Schedule is when a trigger starts executions by itself, and with what.
type Schedule struct {
	Cron            string          `json:"cron"`
	Timezone        string          `json:"timezone"`
	Enabled         bool            `json:"enabled"`
	PayloadTemplate json.RawMessage `json:"payloadTemplate,omitempty"`
}

// TriggersOf reads the triggers of a stored snapshot, with every default of their
// providers filled in.
func TriggersOf(snapshot []byte) ([]Trigger, error) {
	parts, err := PartsOf(snapshot)
	if err != nil {
		return nil, fmt.Errorf("the snapshot is damaged: %w", err)
	}
	var list []Trigger
	if len(parts.Triggers) > 0 {
		err = json.Unmarshal(parts.Triggers, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("the snapshot's triggers are damaged: %w", err)
	}
	for _, t := range list {
		if t.Inbound != nil {
			t.Inbound.fill()
		}
	}
	return list, nil
}

// fill sets what the provider fixes where the definition says nothing else.
func (i *Inbound) fill() {
	i.Provider = cmp.Or(i.Provider, ProviderSvc)
	if i.Provider == ProviderVercel { // https://vercel.com/docs/webhooks/webhooks-api: bare hex of HMAC-SHA-1
		i.SignatureAlgorithm = cmp.Or(i.SignatureAlgorithm, "sha1")
		i.SignatureHeader = cmp.Or(i.SignatureHeader, "x-vercel-signature")
		return
	}
	i.SignatureAlgorithm = cmp.Or(i.SignatureAlgorithm, "sha256")
	switch i.Provider {
	case ProviderSvc:
		i.SignatureHeader = cmp.Or(i.SignatureHeader, "x-svc-signature")
	case ProviderGitHub:
		i.SignatureHeader = cmp.Or(i.SignatureHeader, "x-hub-signature-256")
		i.EventNameHeader = cmp.Or(i.EventNameHeader, "x-github-event")
	default:
		return
	}
	i.SignaturePrefix = cmp.Or(i.SignaturePrefix, i.SignatureAlgorithm+"=")
}
