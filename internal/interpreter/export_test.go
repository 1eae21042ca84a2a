package interpreter

import "slices"

// Stored is a copy of the step as a database gives it back: nothing of it is new.
func (s *Step) Stored() *Step {
	c := *s
	c.isNew, c.changed, c.rejection = false, false, nil
	c.Reviewers = slices.Clone(s.Reviewers)
	for i := range c.Reviewers {
		c.Reviewers[i].changed = false
	}
	return &c
}
