package kit

import (
	"strings"
)

// Mark stands in every value that may be disclosed to nobody: texts of bodies,
// secrets, addresses of people, queries of URLs.
const Mark = "zqMARKqz"

// PathOf returns the path of an operation: those of the older family are named by
// the whole of it.
func PathOf(operation string) string {
	if strings.HasPrefix(operation, "/") {
		return operation
	}
	return "/v2/" + operation
}
