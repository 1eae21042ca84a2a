package definition

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // names of time zones must not depend on the machine

	"github.com/redline-svc/redline/internal/shape"
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
func (p *parser) triggers(o *shape.Fields) {
	seen := map[string]bool{}
	for _, v := range o.List("triggers", 0, maxTriggers) {
		if t := p.Object(v, "triggerId", "eventName", "filters", "inboundWebhook", "schedule", "appTrigger"); t != nil {
			p.trigger(t, seen)
		}
	}
}

func (p *parser) trigger(o *shape.Fields, seen map[string]bool) {
	triggerID, ok := o.NeedText("triggerId", shape.TextRule{Pattern: triggerIDPattern})
	if ok && seen[triggerID] {
		p.Report(o.Members["triggerId"], "trigger-duplicate-id", fmt.Sprintf("the triggerId %q is used twice", triggerID))
	}
	seen[triggerID] = true
	o.Text("eventName", shape.TextRule{Max: maxEventName})
	p.filters(o)
	p.mechanisms(o)
	if v, there := o.Members["inboundWebhook"]; there {
		p.inbound(v, triggerID)
	}
	if v, there := o.Members["schedule"]; there {
		p.schedule(v)
	}
}

// mechanisms: a trigger has at most one, and applications are none of ours.
func (p *parser) mechanisms(o *shape.Fields) {
	var given []string
	for _, key := range o.Keys {
		if _, there := o.Members[key]; there && slices.Contains([]string{"inboundWebhook", "schedule", "appTrigger"}, key) {
			given = append(given, key)
		}
	}
	if len(given) > 1 {
		p.Report(o.Members[given[1]], "APPROVAL_APP_TRIGGER_EXCLUSIVE", "a trigger has one mechanism, not "+strings.Join(given, " and "))
	}
	if v, there := o.Members["appTrigger"]; there {
		p.Report(v, "app-trigger-not-supported", "appTrigger is not supported: use inboundWebhook or schedule")
	}
}

// filters reads dot paths with the value or the values that are let through.
func (p *parser) filters(o *shape.Fields) {
	v, there := o.Members["filters"]
	if !there {
		return
	}
	filters := p.Open(v)
	if filters == nil {
		return
	}
	if len(filters.Keys) > maxFilters {
		p.Report(v, "count", "must have "+shape.Between(0, maxFilters, "entries"))
	}
	for _, path := range filters.Keys {
		p.dotPath(path, filters.Given(path), path)
	}
}

func (p *parser) schedule(v shape.Part) {
	o := p.Object(v, "cron", "timezone", "enabled", "payloadTemplate")
	if o == nil {
		return
	}
	if line, ok := o.NeedText("cron", shape.TextRule{}); ok {
		if _, err := ParseCron(line); err != nil {
			p.Report(o.Members["cron"], "APPROVAL_SCHEDULE_CRON_INVALID", err.Error())
		}
	}
	if zone, ok := o.NeedText("timezone", shape.TextRule{}); ok && !isTimezone(zone) {
		p.Report(o.Members["timezone"], "APPROVAL_SCHEDULE_TIMEZONE_INVALID", "must be the IANA name of a time zone")
	}
	if _, there := o.Need("enabled"); there {
		o.Boolean("enabled")
	}
	if payload, there := o.Members["payloadTemplate"]; there && shape.CompactSize(payload.Raw) > maxPayloadTemplate {
		p.Report(payload, "length", "must have at most 64 KiB")
	}
}

// notIANA begin names that a system may know beside those of IANA: copies of all zones, with
// leap seconds and without, and its own settings.
var notIANA = []string{"posix/", "right/", "posixrules", "localtime"}

// isTimezone leaves out the two names that Go adds to those of IANA, and those that only some
// systems know.
func isTimezone(name string) bool {
	if name == "" || name == "Local" || slices.ContainsFunc(notIANA, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// inbound reads an inboundWebhook. Its secret may stay out if the service has
// one of that trigger; one that is given goes to the secrets.
func (p *parser) inbound(v shape.Part, triggerID string) {
	o := p.Object(v, "authMode", "secret", "provider", "signatureHeader", "signatureAlgorithm", "signaturePrefix",
		"eventNameHeader", "allowedEvents", "idempotencyHeader", "idempotencyBodyPath", "payloadMapping")
	if o == nil {
		return
	}
	mode, _ := o.NeedWord("authMode", "hmac", "bearer")
	if _, given := o.Members["secret"]; given || !slices.Contains(p.rules.TriggersWithSecret, triggerID) {
		if secret, ok := o.NeedText("secret", shape.TextRule{Min: minSecret, Max: maxSecret}); ok {
			p.secrets[triggerID] = secret
		}
	}
	p.cuts = append(p.cuts, shape.Cut{Old: o.Part, New: o.Without("secret")})
	provider, _ := o.Word("provider", "svc", "github", "vercel", "custom")
	if provider != "" && provider != "svc" && mode == "bearer" {
		p.Report(o.Members["authMode"], "conflict", "the provider "+provider+" needs authMode hmac")
	}
	header := shape.TextRule{Min: 1, Max: maxIdempotencyHeader, Pattern: headerName}
	o.Text("signatureHeader", header)
	o.Word("signatureAlgorithm", "sha256", "sha1")
	o.Text("signaturePrefix", shape.TextRule{Max: maxEventName})
	o.Text("eventNameHeader", header)
	o.Texts("allowedEvents", 1, maxAllowedEvents, shape.TextRule{Min: 1, Max: maxEventName})
	o.Text("idempotencyHeader", header)
	o.Text("idempotencyBodyPath", shape.TextRule{Min: 1, Max: maxIdempotencyPath})
	o.Word("payloadMapping", "wrap")
	if provider == "custom" {
		o.Need("signatureHeader")
		o.Need("signatureAlgorithm")
	}
}
