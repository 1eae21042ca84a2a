package guard

// Kind is what an address is given for; it decides scheme, ports and which
// allow-list counts.
type Kind uint8

// The kinds of addresses.
const (
	// Endpoint is a webhook endpoint of a workspace: http or https.
	Endpoint Kind = iota
	// Provider is a workspace's permission provider: https, and http where an operator's
	// allow-list names its host. A token goes along, and its answer decides who may write.
	Provider
	// Receiver takes the events of executions: https.
	Receiver
	// Step is what a step of an execution calls (webhook, agent, slack): https.
	Step
	// SMTP is a mail host of a workspace.
	SMTP
	// Relay is the operator's own mail host. No tenant chooses it, and it often
	// stands in a private network: it is dialled as it is configured.
	Relay
)

// String returns the word for a kind in the operator's log.
func (k Kind) String() string {
	return [...]string{Endpoint: "endpoint", Provider: "provider", Receiver: "receiver", Step: "step", SMTP: "smtp", Relay: "relay"}[k]
}

// smtpPorts are the ports mail is handed over on.
var smtpPorts = []uint16{465, 587, 2525}

// ofWorkflow: such an address is under the rules that the interface returns for
// webhookUrl, which no allow-list lifts at request time.
func (k Kind) ofWorkflow() bool { return k == Receiver || k == Step }

// waits: such a call is made as soon as somebody asks for it, so it waits for its turn in the pace of its
// origin by itself. Deliveries are claimed by that pace.
func (k Kind) waits() bool { return k == Provider || k == Step }

func (k Kind) ofMail() bool { return k == SMTP || k == Relay }

func (k Kind) allowsScheme(scheme string) bool {
	return scheme == "https" || (scheme == "http" && (k == Endpoint || k == Provider))
}

// allowsPort: 80, 443 and everything from 1024 on; what mail may go to depends on its host.
func (k Kind) allowsPort(port uint16) bool {
	return k.ofMail() || port == 80 || port == 443 || port >= 1024
}
