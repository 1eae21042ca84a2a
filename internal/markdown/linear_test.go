package markdown_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/redline-svc/redline/internal/markdown"
	"github.com/redline-svc/redline/tests/kit/linear"
)

// repeated are texts that were made to be slow: each is one of these many times over.
var repeated = map[string]string{
	"initials": "A. ", "sentences": "One two. ", "ends": "? ", "quotations": "\"a. ", "open": "“a. ", "closed": "a.” ", "deep": "“", "brackets": "a.) ", "stars": "*",
	"no ends": "word ", "one word": "w", "points": ".", "white space": " ", "no-break": "a.\u00a0", "lines": "\n", "lines of blanks": " \n", "points and lines": ".\n",
	"items": "- a\n", "numbers": "1. a\n", "levels": "1.2.3 A\n", "capitals": "A. a\n", "clauses": "A1 B\n", "hyphens": "1-2 A\n", "bare": "1 A\n", "articles": "Article 1 A\n", "emphasis": "**1.** a\n", "bullets": "- ", "roman": "II. a\n", "items in items": " - a\n", "ticks": "[ ] a\n", "symbols": "o a\n",
	"headings": "# a\n", "underlines": "a\n-\n", "rulers": "---\n", "marks of headings": "#", "tables": "a | b\n--- | ---\n", "rows": "| a | b |\n", "bars": "|", "cells": "| ",
	"fences": "```\n", "fences in items": "- a\n  ```\n", "open fences": "````\n```\n", "quotes": "> a\n", "quotes in quotes": "> ", "pages": "a\n\n<!-- page 1 -->\n\n",
	"delimiters": "a | b\n--- |\n", "dashes": "-", "fields": "a: b\n",
}

func TestLong_BlocksAreReadInLinearTime(t *testing.T) {
	for name, text := range repeated {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				long := strings.Repeat(text, n)
				return func() { markdown.Parse(long) }
			})
		})
	}
	t.Run("front matter", func(t *testing.T) {
		linear.Require(t, func(n int) func() {
			long := "---\na: b\n" + strings.Repeat("c: d\n", n)
			return func() { markdown.Parse(long) }
		})
	})
}

// A text goes on from page to page, above running lines of which the last is a heading.
func TestLong_PagesBelowARunningHeadingAreJoinedInLinearTime(t *testing.T) {
	const page = "\n\n<!-- page 1 -->\n\n"
	linear.Require(t, func(n int) func() {
		var long strings.Builder
		long.WriteString("one two three four five six seven eight" + page + strings.Repeat("run"+page, n) + strings.Repeat("# head"+page, 2))
		for i := range n {
			long.WriteString(strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j").Replace(strconv.Itoa(i)) + page)
		}
		return func() { markdown.Parse(long.String()) }
	})
}

func TestLong_SentencesAreReadInLinearTime(t *testing.T) {
	for name, text := range repeated {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				long := strings.Repeat(text, n)
				return func() { markdown.Sentences(long) }
			})
		})
	}
}
