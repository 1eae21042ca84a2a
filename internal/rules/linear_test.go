package rules_test

import (
	"strings"
	"testing"

	"github.com/redline-svc/redline/internal/rules"
	"github.com/redline-svc/redline/tests/kit/linear"
)

func TestLong_RulesAreFoundInLinearTime(t *testing.T) {
	for name, text := range map[string]string{
		"rules": "You must go. ", "one sentence": "you must go and ", "parts": "you must go; ", "initials": "A. must ", "items": "- you must go home\n", "lead-ins": "You must:\n\n- a\n",
		"cells": "| you must go | - never stay |\n", "one row": "| you must go ", "no words": "must ", "emphasis": "*a* ", "open emphasis": "**a ", "stars": "*", "links": "[a](b) must ",
		"open links": "[must ", "code": "`must ", "quotations": "\"must\" ", "open quotations": "“must ", "betweens": "between a and ", "bounds": "at least one ", "no spaces": "must-", "hyphens": "a-",
		"conditions": "if you must, ", "quotes": "> you must go\n\n", "quotes in quotes": "> ", "headings": "# you must\n", "ticks": "[ ] sign it now\n", "escapes": "\\*", "bars": "|",
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				long := strings.Repeat(text, n)
				return func() { rules.Extract(long) }
			})
		})
	}
}
