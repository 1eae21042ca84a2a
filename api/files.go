package api

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// Routes of the signed addresses, as they are named in logs and metrics.
var (
	routeTakeFile = Route{Path: filesPath + "{token} PUT", spec: spec{level: LevelPublic}}
	routeSendFile = Route{Path: filesPath + "{token} GET", spec: spec{level: LevelPublic}}
)

// mountFiles mounts the signed addresses, which carry their credentials in
// themselves.
func (s *Server) mountFiles(k *Knowledge) {
	if k == nil {
		return
	}
	s.engine.PUT(filesPath+":token", func(c *gin.Context) {
		s.raw(c, &routeTakeFile, func(x *exchange) outcome {
			result, err := k.takeFile(x)
			return s.write(x, result, err)
		})
	})
	s.engine.GET(filesPath+":token", func(c *gin.Context) {
		s.raw(c, &routeSendFile, func(x *exchange) outcome {
			file, workspaceID, err := k.openFile(c.Request.Context(), c.Param("token"))
			if err != nil {
				return s.write(x, nil, err)
			}
			defer func() { _ = file.Close() }()
			x.caller.WorkspaceID = workspaceID
			_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(downloadTime)) // a recorder has none
			file.send(c)
			return outcome{label: statusOK, code: c.Writer.Status(), bytes: max(0, c.Writer.Size())}
		})
	})
}

// raw is the way of a request whose body or answer is not JSON.
func (s *Server) raw(c *gin.Context, route *Route, run func(*exchange) outcome) {
	x := s.begin(c, route)
	done := s.telemetry.Operation(route.Path).Begin()
	out := run(x)
	done(out.label)
	s.record(c.Request.Context(), x, out)
	s.end(x)
}
