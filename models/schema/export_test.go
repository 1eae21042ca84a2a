package schema

import "github.com/pressly/goose/v3"

// Baseline are the files of the baseline.
var Baseline = baseline

// IsNumbered reports whether goose runs a file by itself.
func IsNumbered(name string) bool {
	_, err := goose.NumericComponent(name)
	return err == nil
}
