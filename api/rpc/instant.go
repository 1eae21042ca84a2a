package rpc

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Instant is a time in a request: ISO-8601, or epoch milliseconds.
type Instant struct{ at *time.Time }

// Time is the time that was sent, in UTC; nil without one.
func (i Instant) Time() *time.Time { return i.at }

// UnmarshalJSON reads either form.
func (i *Instant) UnmarshalJSON(text []byte) error {
	at, ok := readInstant(text)
	if !ok || at.UnixMilli() < minInstant || at.UnixMilli() > maxInstant {
		return errors.New("must be an ISO-8601 time with its zone, or epoch milliseconds")
	}
	i.at = &at
	return nil
}

// readInstant returns the time in UTC: in the zone of its text it may be in a year that
// cannot be written into a token of a page. The library reads an offset of a whole day.
func readInstant(text []byte) (time.Time, bool) {
	const day = 24 * 60 * 60
	var written string
	if json.Unmarshal(text, &written) == nil {
		at, err := time.Parse(time.RFC3339Nano, written)
		_, offset := at.Zone()
		return at.UTC(), err == nil && -day < offset && offset < day
	}
	ms, err := strconv.ParseFloat(string(text), 64)
	if err != nil || ms != math.Trunc(ms) || ms < minInstant || ms > maxInstant {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(ms)).UTC(), true
}

// The beginning of the year 0 and the end of the year 9999 in epoch milliseconds:
// what can be written as text.
const (
	minInstant = -62167219200000
	maxInstant = 253402300799999
)

// Schema documents both forms.
func (Instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString, Format: "date-time"}, {Type: huma.TypeInteger}}}
}

// isoMillis is how a time is written as text: UTC with milliseconds.
const isoMillis = "2006-01-02T15:04:05.000Z"

// FormatTime writes a time as ISO-8601 in UTC with milliseconds.
func FormatTime(at time.Time) string { return at.UTC().Format(isoMillis) }
