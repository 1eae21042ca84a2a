package rpc

import "time"

// isoMillis is how a time is written as text: UTC with milliseconds.
const isoMillis = "2006-01-02T15:04:05.000Z"

// FormatTime writes a time as ISO-8601 in UTC with milliseconds.
func FormatTime(at time.Time) string { return at.UTC().Format(isoMillis) }

// TextOf is an optional text; empty when absent.
func TextOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Each turns the items of a list into what is shown of them. The result is never
// nil, so that an empty list is [].
func Each[T, V any](items []T, view func(T) V) []V {
	views := make([]V, len(items))
	for i, item := range items {
		views[i] = view(item)
	}
	return views
}
