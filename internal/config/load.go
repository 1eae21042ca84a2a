package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/redline-svc/redline/internal/secret"
)

// Prefix begins every variable of the service.
const Prefix = "REDLINE_"

// fileSuffix marks the variant of a secret's variable that names a file.
const fileSuffix = "_FILE"

// Load reads the configuration of role from environ ("NAME=value" each). It
// returns the unknown REDLINE_ names besides, for a warning. The error names
// every faulty variable.
func Load(role Role, environ []string) (Config, []string, error) {
	set := environment(environ)
	unknown := unknownNames(set)
	faults := append(refuseGoogle(set), readFiles(set)...)
	var c Config
	err := env.ParseWithOptions(&c, env.Options{Environment: set, FuncMap: map[reflect.Type]env.ParserFunc{
		reflect.TypeFor[KeyList](): parseKeys,
	}})
	faults = append(faults, explain(err)...)
	if len(faults) == 0 {
		faults = c.check(role)
	}
	if len(faults) > 0 {
		return Config{}, unknown, errors.New(strings.Join(faults, "\n"))
	}
	return c, unknown, nil
}

func parseKeys(text string) (any, error) {
	keys, err := secret.ParseKeys(text)
	return KeyList(keys), err
}

// environment returns the variables of the service that are set to something; an
// empty one counts as not set.
func environment(environ []string) map[string]string {
	set := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, Prefix) && value != "" {
			set[name] = value
		}
	}
	return set
}

// readFiles puts the contents of files where the names that lead to them stood.
func readFiles(set map[string]string) []string {
	var faults []string
	for _, v := range variables() {
		path, ok := set[v.name+fileSuffix]
		if !v.secret || !ok {
			continue
		}
		if _, twice := set[v.name]; twice {
			faults = append(faults, v.name+": set by value and by file; keep one of both")
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			faults = append(faults, v.name+fileSuffix+": the file cannot be read")
			continue
		}
		set[v.name] = strings.TrimRight(string(content), "\r\n")
	}
	return faults
}

// variable is one name that Config reads.
type variable struct {
	name, field string
	of          reflect.Type
	secret      bool
}

// variables lists what Config's tags name.
func variables() []variable {
	var all []variable
	for _, group := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		for _, f := range reflect.VisibleFields(group.Type) {
			hidden := f.Type == reflect.TypeFor[Secret]() || f.Type == reflect.TypeFor[KeyList]()
			all = append(all, variable{name: f.Tag.Get("env"), field: f.Name, of: f.Type, secret: hidden})
		}
	}
	return all
}

// Names lists every variable that a process reads, the file variants of
// secrets included.
func Names() []string {
	var names []string
	for _, v := range variables() {
		names = append(names, v.name)
		if v.secret {
			names = append(names, v.name+fileSuffix)
		}
	}
	return names
}

func unknownNames(set map[string]string) []string {
	known := Names()
	var unknown []string
	for name := range set {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// explain turns the parser's errors, which show values, into sentences that do not.
func explain(err error) []string {
	if err == nil {
		return nil
	}
	var all env.AggregateError
	if !errors.As(err, &all) {
		return []string{"the configuration cannot be read"}
	}
	var faults []string
	for _, one := range all.Errors {
		var parse env.ParseError
		if !errors.As(one, &parse) {
			faults = append(faults, "the configuration cannot be read")
			continue
		}
		faults = append(faults, describe(parse))
	}
	return faults
}

// describe names the variable of a field and the kind of value it wants. Names
// of fields repeat among groups; the type sets apart those that can fail.
func describe(parse env.ParseError) string {
	var names []string
	for _, v := range variables() {
		if v.field == parse.Name && v.of == parse.Type {
			names = append(names, v.name)
		}
	}
	return strings.Join(names, " or ") + ": " + wanted(parse)
}

func wanted(parse env.ParseError) string {
	switch parse.Type.String() {
	case "bool":
		return "must be true or false"
	case "int", "int32", "float64":
		return "must be a number"
	case "time.Duration", "[]time.Duration":
		return "must be a time such as 15s, in a list with commas between"
	case "[]netip.Prefix":
		return "must be address ranges such as 10.0.0.0/8, with commas between"
	case "slog.Level":
		return "must be debug, info, warn or error"
	case "config.KeyList":
		return fmt.Sprintf("must be keys, id:base64 of 32 bytes each, with commas between: %v", parse.Err)
	default:
		return "cannot be read"
	}
}
