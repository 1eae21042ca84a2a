package definition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // names of time zones must not depend on the machine
)

// Limits of triggers.
const (
	maxTriggers          = 50
	maxEventName         = 128
	maxFilters           = 20
	maxPayloadTemplate   = 64 << 10
	minSecret            = 16
	maxSecret            = 512
	maxAllowedEvents     = 50
	maxIdempotencyHeader = 128
	maxIdempotencyPath   = 256
)

// triggers reads the triggers.
func (p *parser) triggers(o *object) {
	seen := map[string]bool{}
	for _, v := range o.list("triggers", 0, maxTriggers) {
		if t := p.object(v, "triggerId", "eventName", "filters", "inboundWebhook", "schedule", "appTrigger"); t != nil {
			p.trigger(t, seen)
		}
	}
}

func (p *parser) trigger(o *object, seen map[string]bool) {
	triggerID, ok := o.needText("triggerId", textRule{pattern: triggerIDPattern})
	if ok && seen[triggerID] {
		p.report(o.members["triggerId"], "trigger-duplicate-id", fmt.Sprintf("the triggerId %q is used twice", triggerID))
	}
	seen[triggerID] = true
	o.text("eventName", textRule{max: maxEventName})
	p.filters(o)
	p.mechanisms(o)
	if v, there := o.members["inboundWebhook"]; there {
		p.inbound(v, triggerID)
	}
	if v, there := o.members["schedule"]; there {
		p.schedule(v)
	}
}

// mechanisms: a trigger has at most one, and applications are none of ours.
func (p *parser) mechanisms(o *object) {
	var given []string
	for _, key := range o.keys {
		if _, there := o.members[key]; there && slices.Contains([]string{"inboundWebhook", "schedule", "appTrigger"}, key) {
			given = append(given, key)
		}
	}
	if len(given) > 1 {
		p.report(o.members[given[1]], "APPROVAL_APP_TRIGGER_EXCLUSIVE", "a trigger has one mechanism, not "+strings.Join(given, " and "))
	}
	if v, there := o.members["appTrigger"]; there {
		p.report(v, "app-trigger-not-supported", "appTrigger is not supported: use inboundWebhook or schedule")
	}
}

// filters reads dot paths with the value or the values that are let through.
func (p *parser) filters(o *object) {
	v, there := o.members["filters"]
	if !there {
		return
	}
	filters := p.open(v)
	if filters == nil {
		return
	}
	if len(filters.keys) > maxFilters {
		p.report(v, "count", "must have "+between(0, maxFilters, "entries"))
	}
	for _, path := range filters.keys {
		p.dotPath(path, filters.given(path), path)
	}
}

func (p *parser) schedule(v value) {
	o := p.object(v, "cron", "timezone", "enabled", "payloadTemplate")
	if o == nil {
		return
	}
	if line, ok := o.needText("cron", textRule{}); ok {
		if _, err := ParseCron(line); err != nil {
			p.report(o.members["cron"], "APPROVAL_SCHEDULE_CRON_INVALID", err.Error())
		}
	}
	if zone, ok := o.needText("timezone", textRule{}); ok && !isTimezone(zone) {
		p.report(o.members["timezone"], "APPROVAL_SCHEDULE_TIMEZONE_INVALID", "must be the IANA name of a time zone")
	}
	if _, there := o.need("enabled"); there {
		o.boolean("enabled")
	}
	if payload, there := o.members["payloadTemplate"]; there && compactSize(payload.raw) > maxPayloadTemplate {
		p.report(payload, "length", "must have at most 64 KiB")
	}
}

// isTimezone leaves out the two names that Go adds to those of IANA.
func isTimezone(name string) bool {
	if name == "" || name == "Local" {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// compactSize is the size of a JSON text in bytes without white space between
// its parts, which is not the caller's data.
func compactSize(raw json.RawMessage) int {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return len(raw)
	}
	return compact.Len()
}

// inbound reads an inboundWebhook. Its secret may stay out if the service has
// one of that trigger; one that is given goes to the secrets.
func (p *parser) inbound(v value, triggerID string) {
	o := p.object(v, "authMode", "secret", "provider", "signatureHeader", "signatureAlgorithm", "signaturePrefix",
		"eventNameHeader", "allowedEvents", "idempotencyHeader", "idempotencyBodyPath", "payloadMapping")
	if o == nil {
		return
	}
	mode, _ := o.needWord("authMode", "hmac", "bearer")
	if _, given := o.members["secret"]; given || !slices.Contains(p.rules.TriggersWithSecret, triggerID) {
		if secret, ok := o.needText("secret", textRule{min: minSecret, max: maxSecret}); ok {
			p.secrets[triggerID] = secret
		}
	}
	p.cuts = append(p.cuts, cut{o.value, o.without("secret")})
	provider, _ := o.word("provider", "svc", "github", "custom")
	if provider != "" && provider != "svc" && mode == "bearer" {
		p.report(o.members["authMode"], "conflict", "the provider "+provider+" needs authMode hmac")
	}
	header := textRule{min: 1, max: maxIdempotencyHeader, pattern: headerName}
	o.text("signatureHeader", header)
	o.word("signatureAlgorithm", "sha256", "sha1")
	o.text("signaturePrefix", textRule{max: maxEventName})
	o.text("eventNameHeader", header)
	o.texts("allowedEvents", 1, maxAllowedEvents, textRule{min: 1, max: maxEventName})
	o.text("idempotencyHeader", header)
	o.text("idempotencyBodyPath", textRule{min: 1, max: maxIdempotencyPath})
	o.word("payloadMapping", "wrap")
	if provider == "custom" {
		o.need("signatureHeader")
		o.need("signatureAlgorithm")
	}
}
