package guard

import (
	"slices"
	"strings"
)

// Names that belong to a machine, a cluster or a cloud, never to the public.
var (
	refusedNames    = []string{"localhost", "metadata", "metadata.google.internal", "metadata.goog"}
	refusedSuffixes = []string{
		".localhost", ".internal", ".local", ".localdomain", ".home.arpa", ".svc", ".cluster.local",
	}
)

// refusedName reports whether a canonical name is refused by the name rule; a
// single label is never public.
func refusedName(name string) bool {
	if slices.Contains(refusedNames, name) || !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc(refusedSuffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// contractName: names that the interface itself forbids for webhookUrl, which
// no operator's list lifts.
func contractName(name string) bool {
	return name == "localhost" || name == "metadata" || strings.HasSuffix(name, ".internal")
}
