package models

import (
	"fmt"
	"strings"
)

// conditions collects the conditions of one list query and their values. The
// first value is always the workspace, so no list is without it.
type conditions struct {
	args  []any
	parts []string
}

func newConditions(workspaceID string) *conditions { return &conditions{args: []any{workspaceID}} }

// value adds a value and gives its placeholder.
func (c *conditions) value(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("$%d", len(c.args))
}

// and adds a condition whose %s are the values' placeholders. The text is ours.
func (c *conditions) and(text string, values ...any) {
	places := make([]any, len(values))
	for i, v := range values {
		places[i] = c.value(v)
	}
	c.parts = append(c.parts, fmt.Sprintf(text, places...))
}

// equal adds a condition unless the value is empty, which means any.
func (c *conditions) equal(column, value string) {
	if value != "" {
		c.and(column+" = %s", value)
	}
}

func (c *conditions) text() string {
	if len(c.parts) == 0 {
		return ""
	}
	return " AND " + strings.Join(c.parts, " AND ")
}
