package rpc

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/internal/telemetry"
)

// Times and sizes of the public listener, in which a caller must keep.
const (
	headerTime = 5 * time.Second
	bodyTime   = 30 * time.Second
	answerTime = 30 * time.Second
	idleTime   = 60 * time.Second
	// writeTime is for body, answer and sending it, 30 s each.
	writeTime = 90 * time.Second
	// maxHeaderRead is how much of the headers is read at all: beyond it net/http
	// refuses them by itself, in plain text.
	maxHeaderRead = 256 << 10
	// keptBuffer is the largest body buffer that is kept for the next request.
	keptBuffer = 64 << 10
)

// Options are what a Server needs.
type Options struct {
	// Serving returns an error while nobody is to be answered yet; nil answers at once.
	Serving     func(context.Context) error
	Credentials Credentials
	// Callbacks opens steps by their tokens.
	Callbacks Callbacks
	Limiter   Limiter
	// Refusals keeps refusals of known callers; nil keeps none.
	Refusals  Refusals
	Telemetry *telemetry.Metrics
	Log       *slog.Logger
	// TrustedProxies are believed when they name the client's address.
	TrustedProxies []netip.Prefix
	// Origins checks browsers; nil keeps cross-origin calls switched off.
	Origins Origins
	// PublicURL is the address under which callers reach the service.
	PublicURL string
}

// Server answers the published interface.
type Server struct {
	serving               func(context.Context) error
	credentials           Credentials
	callbacks             Callbacks
	limiter               Limiter
	refusals              Refusals
	telemetry             *telemetry.Metrics
	log                   *slog.Logger
	proxies               []netip.Prefix
	origins               Origins
	engine                *gin.Engine
	buffers               sync.Pool
	workspaces, anonymous share
	// delayed has a place for each call over a limit that waits for its refusal.
	delayed chan struct{}
	// bodyTime is how long a caller may take to send a body, answerTime how
	// long an operation may take after it.
	bodyTime, answerTime time.Duration
	// known are the paths of all operations, signed the methods of each folder
	// of signed addresses, for preflight requests.
	known  map[string]bool
	signed map[string][]string
	// document is the OpenAPI document as JSON, written when somebody first wants it: to
	// write it would take a third of a start.
	document func() ([]byte, error)
}

// NewServer mounts the routes of a table and describes them for their OpenAPI document.
func NewServer(o Options, routes []Route) (*Server, error) {
	s := &Server{
		credentials: o.Credentials, callbacks: o.Callbacks, limiter: o.Limiter, refusals: o.Refusals, telemetry: o.Telemetry, log: o.Log,
		proxies: o.TrustedProxies, origins: o.Origins, known: map[string]bool{}, signed: map[string][]string{},
		bodyTime: bodyTime, answerTime: answerTime,
		workspaces: share{slots.NewLimited(roomOfAll, roomOfOne), slots.NewLimited(memoryOfAll, memoryOfOne)},
		anonymous:  share{slots.NewLimited(roomOfAnonymous, roomOfAddress), slots.NewLimited(memoryOfAnonymous, memoryOfCall)},
		delayed:    make(chan struct{}, delayedAtMost),
		serving:    o.Serving,
	}
	if s.serving == nil {
		s.serving = func(context.Context) error { return nil }
	}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	s.engine = newEngine()
	face := humagin.New(s.engine, documentConfig(o.PublicURL, routes))
	for i := range routes {
		if routes[i].IsFile() {
			s.mountFile(&routes[i])
			face.OpenAPI().AddOperation(describeBare(face.OpenAPI(), &routes[i]))
		} else {
			s.mount(face, &routes[i])
		}
	}
	for i := range routes {
		if request := routes[i].documented(); request != nil {
			absentAsNull(face.OpenAPI().Components.Schemas, request, routes[i].Keys)
		}
	}
	s.document = sync.OnceValues(func() ([]byte, error) { return publish(face.OpenAPI()) })
	s.engine.GET(documentPath, s.handle(&routeDocument, s.sendDocument))
	s.engine.NoRoute(s.handle(&nowhere, s.unknown))
	return s, nil
}

// mount mounts an operation and adds it to the document.
func (s *Server) mount(face huma.API, r *Route) {
	operation := describe(face.OpenAPI(), r)
	face.OpenAPI().AddOperation(operation)
	face.Adapter().Handle(operation, s.serve(r, r.bind(face.OpenAPI().Components.Schemas)))
	s.known[r.Path] = true
}

// newEngine is a Gin engine that only routes: no path is guessed or corrected.
func newEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.HandleMethodNotAllowed = false
	return engine
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.engine.ServeHTTP(w, r)
}

// Document returns the OpenAPI document as JSON.
func (s *Server) Document() ([]byte, error) { return s.document() }

// Listener returns the public listener's server, with its limits. The contexts of its requests end with base.
func (s *Server) Listener(base context.Context) *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderRead,
		BaseContext:       func(net.Listener) context.Context { return base },
		// OPTIONS * is no operation, like all other paths that are none.
		DisableGeneralOptionsHandler: true,
		// Connections that speak nonsense are no news.
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// begin makes the exchange of a request. Only its buffer is used again: a
// context that outlives the request must go on naming the right caller.
func (s *Server) begin(c *gin.Context, route *Route) *exchange {
	buffer, _ := s.buffers.Get().(*bytes.Buffer)
	x := &exchange{server: s, share: &s.anonymous, route: route, http: c, body: buffer, started: time.Now()}
	x.caller.IP = clientIP(c.Request, s.proxies)
	x.caller.RequestID = requestID(c.Request.Header.Get(headerRequestID))
	x.caller.Operation = route.name()
	setFixedHeaders(x.header(), x.caller.RequestID)
	// It holds for a body that nobody reads, too: net/http does, after the answer.
	x.readBy(x.started.Add(s.bodyTime))
	return x
}

// end returns the buffer to the pool, unless it has grown out of proportion.
func (s *Server) end(x *exchange) {
	x.share.room.Release(x.roomOf, x.room)
	x.share.memory.Release(x.roomOf, x.memory)
	if x.body.Cap() <= keptBuffer {
		x.body.Reset()
		s.buffers.Put(x.body)
	}
	x.body = nil
}

// nowhere is the route of all paths and methods that do not exist.
var nowhere = Route{Path: "unknown", Level: LevelPublic}

// unknown answers what is no operation; a preflight of one that is, too.
func (s *Server) unknown(_ context.Context, x *exchange) (any, error) {
	if s.preflight(x) {
		return written{}, nil
	}
	return nil, fault.NotFound("operation")
}

// record writes the one log line of a request.
func (s *Server) record(ctx context.Context, x *exchange, out outcome) {
	level := slog.LevelInfo
	attrs := make([]slog.Attr, 0, 13)
	cause := out.unexpected()
	if cause != nil && !errors.Is(cause, context.Canceled) {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", cause.Error()))
	}
	if !s.log.Enabled(ctx, level) {
		return
	}
	attrs = append(attrs,
		slog.String("request_id", x.caller.RequestID),
		slog.String("trace_id", telemetry.TraceID(ctx)),
		slog.String("operation", x.route.name()),
		slog.String("workspace_id", x.caller.WorkspaceID),
		slog.String("api_key_id", x.caller.APIKeyID),
		slog.String("status", out.label),
		slog.Int("http_status", out.code),
		slog.Float64("duration_ms", float64(time.Since(x.started).Microseconds())/1000),
		slog.Int64("bytes_in", x.bytesIn),
		slog.Int("bytes_out", out.bytes),
		slog.String("client_ip", x.caller.IP),
	)
	s.log.LogAttrs(ctx, level, "request", attrs...)
}
