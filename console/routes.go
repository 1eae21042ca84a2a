package console

import "net/http"

// mount mounts all pages and forms.
func (c *Console) mount(mux *http.ServeMux) {
	mux.HandleFunc("GET /login", c.showLogin)
	mux.HandleFunc("POST /login", c.login)
	mux.HandleFunc("POST /logout", c.logout)
	mux.HandleFunc("POST /acting", c.setActing)
	for address, read := range c.readers() {
		mux.HandleFunc("GET "+address, c.page(read))
	}
	for address, read := range c.shownForms() {
		mux.HandleFunc("POST "+address, c.page(read))
	}
	for address, do := range actors {
		mux.HandleFunc("POST "+address, c.act(do))
	}
	mux.HandleFunc("GET /", c.page(nowhere))
}

// readers are the pages.
func (c *Console) readers() map[string]reader {
	return map[string]reader{
		"/{$}":             c.overview,
		"/inbox":           c.inbox,
		"/inbox/waiting":   c.inboxWaiting,
		"/executions":      c.executions,
		"/execution":       c.execution,
		"/definitions":     c.definitions,
		"/definition":      c.definition,
		"/definition/edit": c.edit,
		"/endpoints":       c.endpoints,
		"/endpoint":        c.endpoint,
		"/organizations":   c.organizations,
		"/documents":       c.documents,
		"/document":        c.document,
		"/thread":          c.thread,
		"/people":          c.people,
		"/knowledge":       c.knowledge,
		"/source":          c.source,
		"/search":          c.search,
		"/ask":             c.ask,
		"/judgments":       c.judgments,
		"/patterns":        c.patterns,
		"/settings":        c.settings,
		"/jobs":            c.jobs,
		"/mails":           c.mails,
	}
}

// shownForms are forms whose answer is a page: what somebody types is looked at, and secrets and
// the changes of rules are shown once.
func (c *Console) shownForms() map[string]reader {
	return map[string]reader{
		"/definition/lint":     c.lintTyped,
		"/endpoint/secret":     c.endpointSecret,
		"/endpoint/rotate":     c.rotateEndpointSecret,
		"/source/rewrite":      c.rewriteSource,
		"/settings/key/create": c.createKey,
		"/settings/key/reset":  c.resetToken,
	}
}

// actors are the forms that do something and lead on.
var actors = map[string]actor{
	"/execution/cancel":       cancelExecution,
	"/execution/pause":        pauseExecution,
	"/execution/resume":       resumeExecution,
	"/execution/retry":        retryExecution,
	"/execution/redeliver":    redeliver,
	"/step/decide":            decide,
	"/step/reassign":          reassign,
	"/step/resolve":           resolve,
	"/definition/save":        saveDefinition,
	"/definition/delete":      deleteDefinition,
	"/definition/dispatch":    dispatch,
	"/definition/mock":        mock,
	"/endpoints/on":           switchWebhooksOn,
	"/endpoints/create":       createEndpoint,
	"/endpoint/test":          testEndpoint,
	"/endpoint/switch":        switchEndpoint,
	"/endpoint/delete":        deleteEndpoint,
	"/endpoint/recover":       recoverEndpoint,
	"/endpoint/resend":        resendMessage,
	"/thread/reply":           reply,
	"/thread/resolve":         resolveThread,
	"/folder/add":             addFolder,
	"/folder/rename":          renameFolder,
	"/group/add":              addGroup,
	"/group/delete":           deleteGroup,
	"/group/join":             joinGroup,
	"/group/leave":            leaveGroup,
	"/knowledge/upload":       uploadSource,
	"/source/retry":           retrySource,
	"/source/delete":          deleteSource,
	"/settings/domain/add":    addDomain,
	"/settings/domain/remove": removeDomain,
}
