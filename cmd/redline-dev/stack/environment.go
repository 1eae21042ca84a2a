package stack

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/redline-svc/redline/internal/config"
)

// environment is a set of variables.
type environment map[string]string

// fromOutside is what the caller's environment says of the service. What it
// does not know, such as a demo.env that was sourced, is left out.
func fromOutside() environment {
	found, known := environment{}, config.Names()
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && slices.Contains(known, name) {
			found[name] = value
		}
	}
	return found
}

// with is the set with those of the other one in front. A secret that the
// other one gives by a file is not given by value too.
func (e environment) with(other environment) environment {
	both := maps.Clone(e)
	for name, value := range other {
		both[name] = value
		if secret, file := strings.CutSuffix(name, "_FILE"); file {
			delete(both, secret)
		}
	}
	return both
}

// list is the caller's environment without its REDLINE_ variables, and the set.
func (e environment) list() []string {
	var pairs []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, config.Prefix) {
			pairs = append(pairs, pair)
		}
	}
	for name, value := range e {
		pairs = append(pairs, name+"="+value)
	}
	return pairs
}

// write makes a file that a shell can source, readable by its owner alone. It
// appears whole or not at all.
func (e environment) write(path string) error {
	names := make([]string, 0, len(e))
	for name := range e {
		names = append(names, name)
	}
	sort.Strings(names)
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "%s=%s\n", name, quoted(e[name]))
	}
	partial := path + ".partial"
	if err := os.WriteFile(partial, []byte(text.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

// plain are the characters that mean nothing to a shell in an assignment.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@,=+%?"

func quoted(value string) string {
	if strings.Trim(value, plain) == "" {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// readEnvironment reads what write wrote; a missing file is an empty set.
func readEnvironment(path string) (environment, error) {
	found := environment{}
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if strings.HasPrefix(value, "'") {
			value = strings.ReplaceAll(strings.Trim(value, "'"), `'\''`, "'")
		}
		found[name] = value
	}
	return found, nil
}
