package kit

import (
	"maps"

	"github.com/redline-svc/redline/tests/kit/client"
)

// Forwarded returns the same session as if the caller sat at another address.
func Forwarded(session *client.Session, ip string) *client.Session {
	headers := map[string]string{"x-forwarded-for": ip}
	maps.Copy(headers, session.Headers)
	return session.With(headers)
}
