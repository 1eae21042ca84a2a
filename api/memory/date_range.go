package memory

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/shape"
)

// DateRange is a time with one end or two, both inclusive.
type DateRange struct {
	Start *DateBound `json:"start,omitempty" example:"\"2026-01-01\"" doc:"a date is its first millisecond, UTC"`
	End   *DateBound `json:"end,omitempty" example:"\"2026-01-31\"" doc:"a date is its last millisecond, UTC"`
}

// check wants an end, and both in their order.
func (r *DateRange) check(at rpc.Issues) {
	if r == nil {
		return
	}
	if r.Start == nil && r.End == nil {
		at.Add(shape.Required, "must have start or end")
	}
	if start, end := r.bounds(); start != nil && end != nil && start.After(*end) {
		at.At("start").Add(shape.Range, "must not be after end")
	}
}

// bounds are the first and the last moment; nil where there is no end.
func (r *DateRange) bounds() (first, last *time.Time) {
	if r == nil {
		return nil, nil
	}
	return r.Start.first(), r.End.last()
}

// DateBound is an end of a range: ISO-8601, epoch milliseconds, or a whole date.
type DateBound struct {
	at   *time.Time
	date bool
}

// UnmarshalJSON reads each of the forms.
func (b *DateBound) UnmarshalJSON(text []byte) error {
	var written string
	if json.Unmarshal(text, &written) == nil {
		if day, err := time.Parse(time.DateOnly, written); err == nil {
			b.at, b.date = &day, true
			return nil
		}
	}
	var instant rpc.Instant
	if instant.UnmarshalJSON(text) != nil {
		return errors.New("must be a date, an ISO-8601 time with its zone, or epoch milliseconds")
	}
	b.at = instant.Time()
	return nil
}

// Schema documents the forms.
func (DateBound) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeInteger}}}
}

func (b *DateBound) first() *time.Time {
	if b == nil {
		return nil
	}
	return b.at
}

func (b *DateBound) last() *time.Time {
	if b == nil || !b.date {
		return b.first()
	}
	last := b.at.AddDate(0, 0, 1).Add(-time.Millisecond)
	return &last
}
