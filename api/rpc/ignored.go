package rpc

import (
	"fmt"
	"strings"
)

// Bounds of the header x-svc-ignored-fields.
const (
	maxIgnoredPaths = 20
	maxIgnoredBytes = 1 << 10
)

// ignoredFields writes the paths of keys that nobody read. A key can hold any
// text, so each is percent-encoded; dots join the parts of a path, commas the paths.
func ignoredFields(paths [][]string) string {
	var header strings.Builder
	for i, path := range paths[:min(len(paths), maxIgnoredPaths)] {
		parts := make([]string, len(path))
		for j, part := range path {
			parts[j] = percent(part)
		}
		text := strings.Join(parts, ".")
		if header.Len()+1+len(text) > maxIgnoredBytes {
			break
		}
		if i > 0 {
			header.WriteByte(',')
		}
		header.WriteString(text)
	}
	return header.String()
}

// plain are the bytes that need no encoding.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~"

func percent(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(plain, c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
