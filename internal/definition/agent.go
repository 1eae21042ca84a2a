package definition

import (
	"strings"

	"github.com/redline-svc/redline/internal/shape"
)

// Limits and defaults of an agent node. Times are milliseconds.
const (
	maxURLPath        = 500
	maxMappings       = 50
	maxPrompt         = 8000
	maxAgentURLs      = 500
	minPollMs         = 5_000
	maxPollMs         = 60_000
	defaultPollMs     = 15_000
	minAgentRuntimeMs = 10_000
	maxAgentRuntimeMs = 86_400_000
	defaultRuntimeMs  = 600_000
	maxResponses      = 500
)

// agent reads the config of an agent node.
func (p *parser) agent(v shape.Part) *Agent {
	o := p.Object(v, "agentId", "url", "urlPath", "userContextMapping", "inputMapping", "promptOverride", "crossPageExecute",
		"maxUrlsToProcess", "pollIntervalMs", "agentMaxRuntimeMs", "blocking", "resolutionPolicy")
	a := &Agent{PollIntervalMs: defaultPollMs, MaxRuntimeMs: defaultRuntimeMs}
	a.AgentID = p.agentID(o)
	a.URL, _ = o.Text("url", shape.TextRule{Min: 1, Max: maxURL})
	a.URLPath, _ = o.Text("urlPath", shape.TextRule{Min: 1, Max: maxURLPath})
	a.UserContextMapping = o.Mapping("userContextMapping", maxMappings, p.dotPath)
	a.InputMapping = o.Mapping("inputMapping", maxMappings, p.inputPath)
	a.PromptOverride, _ = o.Text("promptOverride", shape.TextRule{Max: maxPrompt})
	if cross, there := o.Boolean("crossPageExecute"); there {
		a.CrossPageExecute = &cross
	}
	if n, there := o.Integer("maxUrlsToProcess", 1, maxAgentURLs); there {
		a.MaxURLsToProcess = int(n)
	}
	if n, there := o.Integer("pollIntervalMs", minPollMs, maxPollMs); there {
		a.PollIntervalMs = n
	}
	if n, there := o.Integer("agentMaxRuntimeMs", minAgentRuntimeMs, maxAgentRuntimeMs); there {
		a.MaxRuntimeMs = n
	}
	p.resolution(o, a)
	return a
}

// agentID reads the name of an agent. Names that start with two underscores
// are the service's own, and there is one.
func (p *parser) agentID(o *shape.Fields) string {
	v, there := o.Need("agentId")
	if s, isText := v.Text(); there && isText && s == MockAgent {
		return s
	}
	if !there {
		return ""
	}
	s, _ := p.TextOf(v, shape.TextRule{Min: 1, Pattern: agentIDPattern})
	return s
}

// resolution reads blocking and its policy, which go together.
func (p *parser) resolution(o *shape.Fields, a *Agent) {
	a.Blocking, _ = o.Boolean("blocking")
	v, there := o.Members["resolutionPolicy"]
	switch {
	case a.Blocking && !there:
		o.Fault("resolutionPolicy", "required", "a blocking agent needs a resolutionPolicy")
		return
	case !a.Blocking && there:
		p.Report(v, "conflict", "a resolutionPolicy needs blocking true")
	}
	if !there {
		return
	}
	policy := p.Object(v, "kind", "minCount")
	if policy == nil {
		return
	}
	a.ResolutionKind, _ = policy.NeedWord("kind", "allResolved", "minResolved")
	n, _ := policy.Integer("minCount", 1, maxResponses)
	a.MinCount = int(n)
	count, counted := policy.Members["minCount"]
	switch {
	case a.ResolutionKind == "minResolved" && !counted:
		policy.Fault("minCount", "required", "minResolved needs a minCount")
	case a.ResolutionKind == "allResolved" && counted:
		p.Report(count, "conflict", "minCount belongs to minResolved")
	}
}

// dotPath checks a path into an object: keys with dots between them.
func (p *parser) dotPath(_ string, v shape.Part, path string) {
	for part := range strings.SplitSeq(path, ".") {
		if part == "" {
			p.Report(v, "pattern", "must be keys with dots between them")
			return
		}
	}
}

// inputPath checks a path that begins at the input or the triggerContext.
func (p *parser) inputPath(name string, v shape.Part, path string) {
	for _, root := range []string{"input.", "execution.input.", "execution.triggerContext."} {
		if strings.HasPrefix(path, root) {
			p.dotPath(name, v, path)
			return
		}
	}
	p.Report(v, "pattern", "must begin with input. or execution.input.")
}
