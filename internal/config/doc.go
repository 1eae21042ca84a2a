// Package config reads the configuration of a process from REDLINE_ variables.
//
// The struct Config is the one list of all variables, their defaults and their
// meaning. A secret may stand in a file instead: NAME_FILE holds the file's
// path. Every fault is found at once and names its variable, never its value,
// which may be a secret. A name that starts with REDLINE_ and is unknown is only
// reported, as orchestrators inject some of their own.
//
// The package checks form. Whether an address answers or a key opens what is
// stored is found out by whoever uses it.
package config
