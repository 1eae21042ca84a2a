package definition

import "strings"

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
func (p *parser) agent(v value) *Agent {
	o := p.object(v, "agentId", "url", "urlPath", "userContextMapping", "inputMapping", "promptOverride", "crossPageExecute",
		"maxUrlsToProcess", "pollIntervalMs", "agentMaxRuntimeMs", "blocking", "resolutionPolicy")
	a := &Agent{PollIntervalMs: defaultPollMs, MaxRuntimeMs: defaultRuntimeMs}
	a.AgentID = p.agentID(o)
	a.URL, _ = o.text("url", textRule{min: 1, max: maxURL})
	a.URLPath, _ = o.text("urlPath", textRule{min: 1, max: maxURLPath})
	a.UserContextMapping = o.mapping("userContextMapping", maxMappings, p.dotPath)
	a.InputMapping = o.mapping("inputMapping", maxMappings, p.inputPath)
	a.PromptOverride, _ = o.text("promptOverride", textRule{max: maxPrompt})
	if cross, there := o.boolean("crossPageExecute"); there {
		a.CrossPageExecute = &cross
	}
	if n, there := o.integer("maxUrlsToProcess", 1, maxAgentURLs); there {
		a.MaxURLsToProcess = int(n)
	}
	if n, there := o.integer("pollIntervalMs", minPollMs, maxPollMs); there {
		a.PollIntervalMs = n
	}
	if n, there := o.integer("agentMaxRuntimeMs", minAgentRuntimeMs, maxAgentRuntimeMs); there {
		a.MaxRuntimeMs = n
	}
	p.resolution(o, a)
	return a
}

// agentID reads the name of an agent. Names that start with two underscores
// are the service's own, and there is one.
func (p *parser) agentID(o *object) string {
	v, there := o.need("agentId")
	if s, isText := v.text(); there && isText && s == MockAgent {
		return s
	}
	if !there {
		return ""
	}
	s, _ := p.textOf(v, textRule{min: 1, pattern: agentIDPattern})
	return s
}

// resolution reads blocking and its policy, which go together.
func (p *parser) resolution(o *object, a *Agent) {
	a.Blocking, _ = o.boolean("blocking")
	v, there := o.members["resolutionPolicy"]
	switch {
	case a.Blocking && !there:
		o.fault("resolutionPolicy", "required", "a blocking agent needs a resolutionPolicy")
		return
	case !a.Blocking && there:
		p.report(v, "conflict", "a resolutionPolicy needs blocking true")
	}
	if !there {
		return
	}
	policy := p.object(v, "kind", "minCount")
	if policy == nil {
		return
	}
	a.ResolutionKind, _ = policy.needWord("kind", "allResolved", "minResolved")
	n, _ := policy.integer("minCount", 1, maxResponses)
	a.MinCount = int(n)
	count, counted := policy.members["minCount"]
	switch {
	case a.ResolutionKind == "minResolved" && !counted:
		policy.fault("minCount", "required", "minResolved needs a minCount")
	case a.ResolutionKind == "allResolved" && counted:
		p.report(count, "conflict", "minCount belongs to minResolved")
	}
}

// dotPath checks a path into an object: keys with dots between them.
func (p *parser) dotPath(_ string, v value, path string) {
	for part := range strings.SplitSeq(path, ".") {
		if part == "" {
			p.report(v, "pattern", "must be keys with dots between them")
			return
		}
	}
}

// inputPath checks a path that begins at the input or the triggerContext.
func (p *parser) inputPath(name string, v value, path string) {
	for _, root := range []string{"input.", "execution.input.", "execution.triggerContext."} {
		if strings.HasPrefix(path, root) {
			p.dotPath(name, v, path)
			return
		}
	}
	p.report(v, "pattern", "must begin with input. or execution.input.")
}
