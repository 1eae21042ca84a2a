package definition

import (
	"regexp"
	"strings"

	"github.com/redline-svc/redline/internal/shape"
)

// Patterns of ids.
var (
	definitionIDPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{2,63}$`)
	triggerIDPattern    = regexp.MustCompile(`^[A-Za-z0-9:_.-]{1,128}$`)
	agentIDPattern      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$`)
)

// parser reads a definition and collects, beside the issues, what must not get into
// its snapshot.
type parser struct {
	shape.Document
	rules   Options
	secrets map[string]string // by triggerId
	cuts    []shape.Cut
}

// https begins every address that the service calls for an execution.
const https = "https://"

// link reads an address that the service will call: https, and fit for the
// guard, whose rules are check's.
func (p *parser) link(v shape.Part, check func(raw string) error) string {
	s, ok := p.TextOf(v, shape.TextRule{Min: 1, Max: maxURL})
	switch {
	case !ok:
	case len(s) < len(https) || !strings.EqualFold(s[:len(https)], https):
		p.Report(v, "address-refused", "must be an absolute https address")
	case check != nil:
		if err := check(s); err != nil {
			p.Report(v, "address-refused", err.Error())
		}
	}
	return s
}
