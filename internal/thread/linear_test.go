package thread_test

import (
	"strings"
	"testing"

	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/tests/kit/linear"
)

func TestLong_MarkupIsReadInLinearTime(t *testing.T) {
	for name, text := range map[string]string{
		"tags": "{{a}} ", "one tag": "{{a}}", "open tags": "{{a ", "braces": "{", "paragraphs": "<p>a", "nested": "<div>", "closed": "</div>", "breaks": "<br>", "cells": "<td>a", "scripts": "<script>a</script>",
		"open scripts": "<script>", "comments": "<!-- a", "attributes": "<a b=", "entities": "&amp;", "ampersands": "&", "less": "<", "slashes": "</", "blanks": " ", "words": "a ",
	} {
		t.Run(name, func(t *testing.T) {
			linear.Require(t, func(n int) func() {
				long := strings.Repeat(text, n)
				return func() { thread.Text(long); thread.Tags(long, long); thread.StoredTags(long, long) }
			})
		})
	}
}
