package definition

import (
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/shape"
)

// Limits of a notification node.
const (
	maxBodyTemplate    = 16_000
	maxRecipients      = 50
	maxSubjectTemplate = 2000
)

// How long one call of a notification may take: for all of its mails together, and for
// its request to Slack.
const (
	mailsLimit = 60 * time.Second
	slackLimit = 10 * time.Second
)

// EmailChannel is the channel of a notification that goes out as mails; the other one
// is a request to Slack.
const EmailChannel = "email"

// CallLimit is how long one call of the notification may take.
func (n *Notification) CallLimit() time.Duration {
	if n.Channel == EmailChannel {
		return mailsLimit
	}
	return slackLimit
}

// notification reads the config of a notification node.
func (p *parser) notification(v shape.Part) *Notification {
	o := p.Object(v, "channel", "bodyTemplate", "recipients", "subjectTemplate", "slackTarget", "format")
	n := &Notification{}
	n.Channel, _ = o.NeedWord("channel", "email", "slack")
	n.BodyTemplate, _ = o.NeedText("bodyTemplate", shape.TextRule{Min: 1, Max: maxBodyTemplate})
	n.SubjectTemplate, _ = o.Text("subjectTemplate", shape.TextRule{Max: maxSubjectTemplate})
	n.Recipients = p.recipients(o)
	if target, there := o.Members["slackTarget"]; there {
		n.SlackTarget = p.link(target, p.rules.Step)
	}
	n.Format, _ = o.Word("format", "text", "html", "slack-blocks")
	if n.Format == "slack-blocks" && n.Channel == "email" {
		p.Report(o.Members["format"], "APPROVAL_NOTIFICATION_SLACK_BLOCKS_REQUIRES_SLACK", "slack-blocks needs the channel slack")
	}
	p.channel(o, n.Channel)
	return n
}

func (p *parser) recipients(o *shape.Fields) []string {
	var list []string
	for _, v := range o.List("recipients", 1, maxRecipients) {
		s, ok := p.TextOf(v, shape.TextRule{Min: 1, Max: maxEmail, Plain: true})
		if ok && !strings.Contains(s, "@") {
			p.Report(v, "format", "must be an e-mail address")
			continue
		}
		list = append(list, s)
	}
	return list
}

// channel: each channel has a target of its own and not the other's.
func (p *parser) channel(o *shape.Fields, channel string) {
	for _, target := range []struct{ of, key string }{{"email", "recipients"}, {"slack", "slackTarget"}} {
		of, key := target.of, target.key
		v, there := o.Members[key]
		switch {
		case channel == of && !there:
			o.Fault(key, "required", "the channel "+of+" needs "+key)
		case channel != "" && channel != of && there:
			p.Report(v, "conflict", key+" belongs to the channel "+of)
		}
	}
}
