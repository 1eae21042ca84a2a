package chunk

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/redline-svc/redline/internal/markdown"
)

// section is what stands below one heading, up to the next one.
type section struct {
	// above are the headings that the section's own one is under; own is what
	// stands of its heading in paths, empty before the first heading.
	above  []title
	own    string
	level  int
	blocks []markdown.Block
	// size is that of the blocks.
	size size
	// parent: a deeper heading follows, so the heading is in that one's path.
	parent bool
	// waiting are headings with nothing of their own right above, which stand in
	// no path but those of this section and what is below them.
	waiting []*section
}

type title struct {
	level int
	text  string
}

// titles are the headings of the section's path: its own and those above, the
// nearest ones, as many as a path holds.
func (s *section) titles() []string {
	if s.own == "" {
		return nil
	}
	titles, length := []string{s.own}, len(s.own)
	for _, t := range slices.Backward(s.above) {
		if length += len(Separator) + len(t.text); length > MaxPath {
			break
		}
		titles = append(titles, t.text)
	}
	slices.Reverse(titles)
	return titles
}

func (s *section) put(b markdown.Block) {
	s.blocks = append(s.blocks, b)
	s.size.tokens += Tokens(b.Text)
	s.size.bytes += len(b.Text)
}

// sections groups blocks by their headings. A heading that is too long for paths
// is a block of its section as well, so that none of its words is lost.
func sections(blocks []markdown.Block) []*section {
	current := &section{}
	all := []*section{current}
	for _, b := range blocks {
		if b.Kind != markdown.Heading {
			current.put(b)
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
		current = &section{above: above, own: clip(b.Text), level: b.Level}
		if current.own != b.Text && strings.TrimSpace(b.Text) != "" {
			current.put(markdown.Block{Kind: markdown.Paragraph, Text: b.Text})
		}
		all = append(all, current)
	}
	return all
}

// clip returns what stands of a heading in paths: its first characters.
func clip(heading string) string {
	length := 0
	for at, r := range heading {
		if length++; length > maxHeadingLength || at+utf8.RuneLen(r) > maxHeading {
			return heading[:at]
		}
	}
	return heading
}

// merge leaves out sections without anything of their own and joins deep ones
// of few words with the next one of the same parent.
func merge(all []*section) []*section {
	var merged, waiting []*section
	for _, s := range all {
		if len(s.blocks) == 0 && s.own == "" {
			continue
		}
		if len(s.blocks) == 0 && s.parent {
			waiting = append(waiting, s)
			continue
		}
		s.waiting, waiting = waiting, nil
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
	if len(s.above) != len(next.above) || s.size.tokens >= joinBelow || s.size.bytes >= MaxBytes {
		return false
	}
	return len(s.own)+len(beside)+len(next.own) <= MaxPath && slices.Equal(s.above, next.above)
}

func (s *section) take(next *section) {
	s.own += beside + next.own
	for _, b := range next.blocks {
		s.put(b)
	}
	s.waiting = append(s.waiting, next.waiting...)
}
