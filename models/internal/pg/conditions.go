package pg

import (
	"fmt"
	"strings"
)

// Conditions collects the conditions of one list query and their values. The
// first value is always the workspace, so no list is without it.
type Conditions struct {
	Args  []any
	Parts []string
}

// NewConditions begins the conditions of a list of the workspace.
func NewConditions(workspaceID string) *Conditions { return &Conditions{Args: []any{workspaceID}} }

// Value adds a value and returns its placeholder.
func (c *Conditions) Value(v any) string {
	c.Args = append(c.Args, v)
	return fmt.Sprintf("$%d", len(c.Args))
}

// And adds a condition whose %s are the values' placeholders. The text is ours.
func (c *Conditions) And(text string, values ...any) {
	placeholders := make([]any, len(values))
	for i, v := range values {
		placeholders[i] = c.Value(v)
	}
	c.Parts = append(c.Parts, fmt.Sprintf(text, placeholders...))
}

// Equal adds a condition unless the value is empty, which means any.
func (c *Conditions) Equal(column, value string) {
	if value != "" {
		c.And(column+" = %s", value)
	}
}

// Text returns all of them, to follow the condition on the workspace.
func (c *Conditions) Text() string {
	if len(c.Parts) == 0 {
		return ""
	}
	return " AND " + strings.Join(c.Parts, " AND ")
}
