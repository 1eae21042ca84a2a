package pg

import (
	"encoding/json"
	"slices"
	"time"
)

// Millis is a time as epoch milliseconds, zero for none.
func Millis(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixMilli()
}

// Instant is the opposite of millis.
func Instant(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := time.UnixMilli(ms).UTC()
	return &t
}

// Optional is nil for the empty string.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// JSONOrNil keeps an absent JSON text NULL in the row.
func JSONOrNil(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	return string(text)
}

// OptionalMillis is a time as epoch milliseconds, nil for none.
func OptionalMillis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

// OrEmpty is the text, or the empty object where the row has none.
func OrEmpty(text []byte) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(text)
}

// Present is the text, empty when there is none.
func Present(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// SetIfSent gives a setting the value that was sent; nil leaves it.
func SetIfSent[T any](to, sent *T) {
	if sent != nil {
		*to = *sent
	}
}

// SwitchedOff are the names that are off after a change, sorted: named says of each that is sent whether it
// shall be on.
func SwitchedOff(before []string, named map[string]bool) []string {
	off := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return named[name] })
	for name, on := range named {
		if !on && !slices.Contains(off, name) {
			off = append(off, name)
		}
	}
	slices.Sort(off)
	return append([]string{}, off...)
}
