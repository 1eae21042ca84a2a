package rules

// repeatRatio is how many times the bytes of a text stand repeated in its rules at
// most, as what leads a list in and as headings above. With the text itself they stay
// below 9 times its bytes, so that with its chunks, which stay below 7 times, it makes
// 16 times of itself at most. Written text comes nowhere near the end of it. Behind
// that end a heading stands with none of its rules but the first one, and items below a
// lead-in but the first one are left out.
const repeatRatio = 8

// shared is a text that stands in many rules: a heading, or what leads a list in.
type shared struct {
	text string
	// used says that it stands in a rule already.
	used bool
}

// above returns the content of a rule below a lead-in; below none it is the text.
func (s *shared) above(text string) string {
	if s.text == "" {
		return text
	}
	return s.text + ": " + text
}

// again is how many bytes another rule would repeat of it.
func (s *shared) again() int {
	if s.used {
		return len(s.text)
	}
	return 0
}

// take returns the category of a rule below a lead-in: the heading above, unless that may
// be repeated no more. What the rule repeats is taken from what may be.
func (e *extractor) take(lead *shared) (category string) {
	e.repeatable -= lead.again()
	lead.used = true
	if e.heading.again() > e.repeatable {
		return ""
	}
	e.repeatable -= e.heading.again()
	e.heading.used = true
	return e.heading.text
}
