package main

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/redline-svc/redline/activities/mailer"
	"github.com/redline-svc/redline/internal/config"
	mailing "github.com/redline-svc/redline/internal/mail"
)

// newMails puts together what hands mails over.
func newMails(p *parts) (*mailer.Mailer, error) {
	relay, err := operatorsRelay(p.conf.SMTP)
	if err != nil {
		return nil, err
	}
	return mailer.New(mailer.Parts{
		Rows: p.stores.Mails, Client: mailing.NewClient(p.guard, ownName(p.conf.HTTP.PublicURL)),
		Listed: p.guard.Listed, Relay: relay, Metrics: p.metrics, Log: p.log,
	}), nil
}

// ownName is how the service calls itself to mail hosts.
func ownName(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil {
		return "localhost" // the address was checked at the start
	}
	switch addr, err := netip.ParseAddr(u.Hostname()); {
	case err != nil:
		return u.Hostname()
	case addr.Is6():
		return "[IPv6:" + addr.String() + "]"
	default:
		return "[" + addr.String() + "]"
	}
}

// operatorsRelay is the relay that the configuration names; nil without one.
func operatorsRelay(c config.SMTP) (*mailer.Relay, error) {
	if c.Addr == "" {
		return nil, nil //nolint:nilnil // no relay is a valid answer
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("REDLINE_SMTP_ADDR: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("REDLINE_SMTP_ADDR: the port %q is not a number", port)
	}
	from, err := mail.ParseAddress(c.From)
	if err != nil {
		return nil, errors.New("REDLINE_SMTP_FROM: must be an e-mail address")
	}
	return &mailer.Relay{From: from.Address, FromName: from.Name, Host: mailing.Host{
		Operators: true, Name: host, Port: number, Security: c.Security, Username: c.Username, Password: c.Password.Reveal(),
	}}, nil
}
