package models

import (
	"encoding/json"
	"time"
)

// millis is a time as epoch milliseconds, zero for none.
func millis(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixMilli()
}

// instant is the opposite of millis.
func instant(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := time.UnixMilli(ms).UTC()
	return &t
}

// optional is nil for the empty string.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// jsonOrNil keeps an absent JSON text NULL in the row.
func jsonOrNil(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	return string(text)
}

// optionalMillis is a time as epoch milliseconds, nil for none.
func optionalMillis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

// orEmpty is the text, or the empty object where the row has none.
func orEmpty(text []byte) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(text)
}

// present is the text, empty when there is none.
func present(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// set gives a setting the value that was sent; nil leaves it.
func set[T any](to, sent *T) {
	if sent != nil {
		*to = *sent
	}
}
