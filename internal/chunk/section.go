package chunk

import (
	"slices"
	"strings"

	"github.com/redline-svc/redline/internal/markdown"
)

// section is what stands below one heading, up to the next one.
type section struct {
	// above are the headings that the section's own one is under; own is its
	// heading's text, empty before the first heading.
	above  []title
	own    string
	level  int
	blocks []markdown.Block
	// parent: a deeper heading follows, so the heading is in that one's path.
	parent bool
}

type title struct {
	level int
	text  string
}

func (s *section) path() string {
	var parts []string
	for _, t := range s.above {
		parts = append(parts, t.text)
	}
	if s.own != "" {
		parts = append(parts, s.own)
	}
	return strings.Join(parts, Separator)
}

// heading is the text of a section with nothing in it.
func (s *section) heading() string { return s.own }

// sections groups blocks by their headings.
func sections(blocks []markdown.Block) []*section {
	current := &section{}
	all := []*section{current}
	for _, b := range blocks {
		if b.Kind != markdown.Heading {
			current.blocks = append(current.blocks, b)
			continue
		}
		above := current.above
		if current.own != "" {
			above = append(slices.Clip(above), title{current.level, current.own})
		}
		for len(above) > 0 && above[len(above)-1].level >= b.Level {
			above = above[:len(above)-1]
		}
		current.parent = current.own != "" && b.Level > current.level
		current = &section{above: above, own: b.Text, level: b.Level}
		all = append(all, current)
	}
	return all
}

// merge leaves out sections without anything of their own and joins deep ones
// of few words with the next one of the same parent.
func merge(all []*section) []*section {
	var merged []*section
	for _, s := range all {
		if len(s.blocks) == 0 && (s.own == "" || s.parent) {
			continue
		}
		if last := len(merged) - 1; last >= 0 && merged[last].joins(s) {
			merged[last].take(s)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// joins reports whether a section is so short that the next one is added to it.
func (s *section) joins(next *section) bool {
	if s.level <= strongLevel || next.level != s.level || s.parent || next.parent || len(s.blocks) == 0 || len(next.blocks) == 0 {
		return false
	}
	if len(s.above) != len(next.above) || s.length() >= joinBelow {
		return false
	}
	for i, t := range s.above {
		if t != next.above[i] {
			return false
		}
	}
	return true
}

func (s *section) take(next *section) {
	s.own += beside + next.own
	s.blocks = append(s.blocks, next.blocks...)
}

func (s *section) length() int {
	n := 0
	for _, b := range s.blocks {
		n += Tokens(b.Text)
	}
	return n
}
