package embed

import "context"

// Absent stands for a model that cannot be had: it makes no vectors.
type Absent struct{ Cause error }

// Identity is that of no model.
func (Absent) Identity() Identity { return Identity{Provider: "absent"} }

// Limit is not known.
func (Absent) Limit() int { return 0 }

// Length counts words.
func (Absent) Length(text string) int { return len(words(text)) }

// Embed returns why there is no model.
func (a Absent) Embed(context.Context, []string, Use) ([][]float32, error) { return nil, a.Cause }
